import { expect, test } from "@jest/globals";
import type { Event } from "kubernetes-types/core/v1.js";
import { anEvent, NOW } from "../../../../server/test/samples.js";
import { eventLine, eventRows, lastSeen } from "../../../src/print/event-table.js";

const bare = { metadata: {}, involvedObject: {} } as Event;
const HEAD = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];

test("an event is a row", () => {
  const event = anEvent("web", "Pulled", { message: " done \n", count: 3, firstTimestamp: "2026-11-21T09:55:00Z" });
  expect(eventRows([event, bare], NOW)).toEqual({
    head: HEAD,
    rows: [
      ["30s (x3 over 5m)", "Normal", "Pulled", "pod/web", "done"],
      ["<unknown>", "", "", "/", ""],
    ],
  });
});

test("wide, with its source, its first time and how often it happened", () => {
  const event = anEvent("web", "Pulled", { count: 3, firstTimestamp: "2026-11-21T09:55:00Z" });
  const once = anEvent("web", "Pulled", { firstTimestamp: undefined, count: undefined, source: undefined });
  const { head, rows } = eventRows([event, once, bare], NOW, true);
  expect(head).toEqual([...HEAD, "SOURCE", "FIRST SEEN", "COUNT"]);
  expect(rows.map((cells) => cells.slice(5))).toEqual([
    ["kubelet", "5m", "3"],
    ["", "30s", "1"],
    ["", "<unknown>", "1"],
  ]);
});

test("an event of a cluster has the time at which it happened", () => {
  const event = anEvent("web", "a", { lastTimestamp: null, eventTime: "2026-11-21T09:59:00Z", count: undefined });
  expect(lastSeen(event, NOW)).toBe("60s");
});

test("an event in a log is one line", () => {
  expect(eventLine(anEvent("web", "Failed", { message: "one\ntwo\n" }))).toBe("Failed pod/web: one\\ntwo");
  expect(eventLine(bare)).toBe(" /: ");
});
