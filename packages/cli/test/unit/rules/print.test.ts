import { describe, expect, test } from "@jest/globals";
import { anEvent, aPod, NOW } from "../../../../server/test/samples.js";
import { amount, humanDuration, millisecondsOf, roundBytes } from "../../../src/print/amounts.js";
import { elasticColumns, rowsText, table } from "../../../src/print/columns.js";
import { describePod } from "../../../src/print/describe/describe-pod.js";
import { decisionText, eventLine, lastSeen } from "../../../src/print/event-table.js";
import { imageRows, viewRows } from "../../../src/print/node-text.js";
import { listOf, podObject, toJson, toYaml } from "../../../src/print/object-text.js";

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

describe("ages as in apimachinery's HumanDuration", () => {
  test.each([
    [-3 * S, "<invalid>"],
    [-1 * S, "0s"],
    [0, "0s"],
    [119.9 * S, "119s"],
    [2 * M, "2m"],
    [3 * M + 20 * S, "3m20s"],
    [9 * M + 59 * S, "9m59s"],
    [10 * M + 30 * S, "10m"],
    [179 * M, "179m"],
    [3 * H, "3h"],
    [3 * H + 5 * M, "3h5m"],
    [7 * H + 59 * M, "7h59m"],
    [8 * H + 30 * M, "8h"],
    [47 * H, "47h"],
    [2 * D, "2d"],
    [2 * D + 3 * H, "2d3h"],
    [8 * D, "8d"],
    [729 * D, "729d"],
    [730 * D, "2y"],
    [735 * D, "2y5d"],
    [8 * 365 * D + 9 * D, "8y"],
  ])("%i ms is %s", (milliseconds, text) => expect(humanDuration(milliseconds)).toBe(text));
});

test.each([
  ["90", 90_000],
  ["1.5s", 1500],
  ["1h30m", 5_400_000],
  ["250ms", 250],
])("the duration %s is %i ms", (text, milliseconds) => expect(millisecondsOf(text, "--since")).toBe(milliseconds));

test.each(["", "5 minutes", "-5s", "1h-3m", "m"])("%j is no duration, and the error names the option", (text) => {
  expect(() => millisecondsOf(text, "--since")).toThrow(/^--since: expected a duration/);
});

test("a column ends at the first line that lacks it", () => {
  const text = "Name:\tweb\nLong name:\tx\nno column\na:\tb";
  expect(elasticColumns(text)).toBe("Name:       web\nLong name:  x\nno column\na:  b");
});

test("a table has three blanks between its columns and no blank at its line ends", () => {
  expect(
    table(
      ["NAME", "A", "LAST"],
      [
        ["web-node1", "1", "x"],
        ["b", "", ""],
      ],
    ),
  ).toBe("NAME        A     LAST\nweb-node1   1     x\nb");
});

test("tabs and newlines of cells cannot break a table", () => {
  expect(table(["A", "B"], [["x\ty", "one\ntwo"]])).toBe("A     B\nx y   one two");
});

test("pods as JSON are a List with sorted keys", () => {
  const text = toJson(listOf([podObject(aPod("web"))]));
  expect(JSON.parse(text)).toMatchObject({
    apiVersion: "v1",
    kind: "List",
    items: [{ apiVersion: "v1", kind: "Pod" }],
  });
  expect(text.startsWith('{\n    "apiVersion": "v1",\n    "items": [\n')).toBe(true);
});

test("pods as YAML", async () => {
  const yaml = await toYaml({ kind: "List", apiVersion: "v1", items: [{ b: 1, a: "yes" }] });
  expect(yaml).toBe("apiVersion: v1\nitems:\n- a: yes\n  b: 1\nkind: List");
});

test("an event that happened more than once says how often and since when", () => {
  expect(lastSeen(anEvent("web", "BackOff"), NOW)).toBe("30s");
  const again = anEvent("web", "BackOff", { count: 3, firstTimestamp: "2026-11-21T09:55:00Z" });
  expect(lastSeen(again, NOW)).toBe("30s (x3 over 5m)");
});

test("a decision shows the outcome first, then what was considered and why", () => {
  const text = decisionText({
    at: NOW,
    plugin: "sample",
    strategy: "nearest",
    subject: "pod/default/web",
    considered: [{ candidate: "a", verdict: "chosen", why: "it is free" }],
    outcome: "took a",
  });
  expect(text).toBe(
    "2026-11-21T10:00:00Z  pod/default/web  by sample (nearest)\n  took a\n\n    CANDIDATE   VERDICT   WHY\n    a           chosen    it is free",
  );
});

test("wide columns of a view are shown with -o wide only", () => {
  const columns = [{ name: "name" }, { name: "detail", wide: true }];
  const rows = [{ name: "a", detail: ["x", "y"], hidden: 1 }, { name: null }];
  expect(rowsText(viewRows(columns, rows, false))).toBe("NAME\na\n<none>");
  expect(rowsText(viewRows(columns, rows, true))).toBe("NAME     DETAIL\na        x,y\n<none>   <none>");
});

test("an image has a row for each of its names", () => {
  const image = {
    id: "sha256:0123456789abcdef",
    repoTags: ["a:1", "b:1"],
    repoDigests: [],
    size: 1_500_000,
    pinned: true,
  };
  expect(rowsText(imageRows([image], false)).split("\n")).toEqual([
    "NAME   IMAGE ID       SIZE",
    "a:1    0123456789ab   1.5MB",
    "b:1    0123456789ab   1.5MB",
  ]);
});

test.each([
  ["cpu", 1500, "1500m"],
  ["cpu", 2000, "2"],
  ["memory", 1536 * 2 ** 20, "1536Mi"],
  ["memory", 0, "0"],
  ["pods", 110, "110"],
  ["vendor.example/card", 2, "2"],
])("%s %i is shown as %s", (resource, value, text) => expect(amount(resource, value)).toBe(text));

test.each([
  [0, "0B"],
  [999, "999B"],
  [1_234_567, "1.23MB"],
  [999_999_999, "1GB"],
  [5e15, "5PB"],
  [5e18, "5000PB"],
])("%i bytes are about %s", (bytes, text) => expect(roundBytes(bytes)).toBe(text));

test("what manifests and containers write cannot steer the terminal", () => {
  const evil = "a\u001b[2J\u001b]0;title\u0007\rb\u009b31m\b";
  const shown = "a^[[2J^[]0;title^G\\rb\\u009b31m^H";
  const pod = aPod("web", {
    metadata: { annotations: { note: evil } },
    spec: { containers: [{ name: "main", image: "x", command: [evil], env: [{ name: "E", value: evil }] }] },
  });
  const event = anEvent("web", "Failed", { message: evil });
  const reported = [
    describePod(pod, [event], NOW),
    eventLine(event),
    table(["MESSAGE"], [[evil.replace("\r", "")]]),
    decisionText({ at: NOW, plugin: "p", strategy: "s", subject: "pod/web", considered: [], outcome: evil }),
  ].join("\n");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there.
  expect(reported).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
  expect(reported.split(shown).length - 1).toBe(6);
});
