import { expect, test } from "@jest/globals";
import { eventFilter } from "../../src/read-routes.js";
import { anEvent, aPod } from "../samples.js";

const meant = (wanted: string, pods: readonly string[]): readonly string[] =>
  ["web", "web-vm", "db"].filter((name) =>
    eventFilter(wanted, "default", { nodeName: "vm", pods: pods.map((one) => aPod(one)) })(anEvent(name, "Started")),
  );

test.each<[string, readonly string[], readonly string[]]>([
  ["pod/web", ["web", "web-vm"], ["web"]],
  ["pods/web-vm", ["web", "web-vm"], ["web-vm"]],
  ["pod/web", ["web-vm"], ["web", "web-vm"]],
])("events about %s, where pods %j are there, are those of %j", (wanted, pods, events) =>
  expect(meant(wanted, pods)).toEqual(events),
);

test.each(["web", "pod/", "pod/web/main"])("%j is no object", (wanted) =>
  expect(() => eventFilter(wanted, undefined, { nodeName: "vm", pods: [] })).toThrow("KIND/NAME"),
);
