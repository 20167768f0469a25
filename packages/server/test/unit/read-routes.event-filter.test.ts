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

const about = (kind: string, namespace?: string) => {
  const { involvedObject: _, ...event } = anEvent("web", "Started");
  return { ...event, involvedObject: { kind, name: "web", ...(namespace !== undefined && { namespace }) } };
};
const all = [about("Pod", "default"), about("Pod", "other"), about("Node")] as const;
const kept = (wanted: string | undefined, namespace: string | undefined): readonly boolean[] =>
  all.map(eventFilter(wanted, namespace, { nodeName: "vm", pods: [] }));

test.each<[string | undefined, string | undefined, readonly boolean[]]>([
  [undefined, undefined, [true, true, true]],
  [undefined, "default", [true, false, false]],
  ["Pod/web", undefined, [true, true, false]],
  ["pod/web", "default", [true, false, false]],
  ["nodes/web", "default", [false, false, true]],
])("events about %j in namespace %j are those of its kind there; a node is in each", (wanted, namespace, expected) =>
  expect(kept(wanted, namespace)).toEqual(expected),
);

test("a pod of another namespace does not keep the short name from being one", () => {
  const pods = [{ metadata: { ...aPod("web").metadata, namespace: "other" } }];
  const isMeant = eventFilter("pod/web", "default", { nodeName: "vm", pods });
  expect(isMeant(anEvent("web-vm", "Started"))).toBe(true);
});
