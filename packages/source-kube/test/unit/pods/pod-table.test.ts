import type { Pod } from "@hooklet/core";
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import type { ApiPod } from "../../../src/pods/api-pod.js";
import { PodTable } from "../../../src/pods/pod-table.js";
import { StatusWriter } from "../../../src/pods/status-writer.js";

let version = 0;
function pod(name: string, more: { metadata?: object; spec?: object; status?: object } = {}): ApiPod {
  return {
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion: String(++version), ...more.metadata },
    spec: { containers: [{ name: "c", image: "i" }], ...more.spec },
    status: { phase: "Pending", ...more.status },
  } as ApiPod;
}
const names = (pods: readonly ApiPod[]): string[] => pods.map(({ metadata }) => metadata.name);

test("a new pod is delivered, and again when its spec, labels, annotations or deletion change", () => {
  const table = new PodTable();
  expect(names(table.set(pod("a")).set)).toEqual(["a"]);
  for (const more of [
    { metadata: { labels: { x: "y" } } },
    { metadata: { annotations: { x: "y" } } },
    { spec: { activeDeadlineSeconds: 5 } },
    { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } },
  ]) {
    expect(names(table.set(pod("a", more)).set)).toEqual(["a"]);
  }
});

test("a status alone is no news to the agent", () => {
  const table = new PodTable();
  table.set(pod("a"));
  const { set, statuses } = table.set(pod("a", { status: { phase: "Running" } }));
  expect([names(set), names(statuses)]).toEqual([[], ["a"]]);
});

test("a write that was taken changes what it was made upon; what the watch has brought meanwhile is newer", () => {
  const table = new PodTable();
  const first = pod("a");
  table.set(first);
  table.wrote(first, { phase: "Running" });
  expect(table.get("uid-a")?.status).toEqual({ phase: "Running" });
  const second = table.get("uid-a") as ApiPod;
  const gate = { type: "gate", status: "True" };
  table.set(pod("a", { status: { phase: "Running", conditions: [gate] } }));
  table.wrote(second, { phase: "Failed" });
  expect(table.get("uid-a")?.status).toEqual({ phase: "Running", conditions: [gate] });
});

test.each([
  { name: "the newest one of the spec that the agent runs", spec: {}, observed: 2 },
  { name: "its own where a newer spec has come that it does not run yet", spec: { priority: 1 }, observed: 1 },
])("the observed generation of a pod is $name", ({ spec, observed }) => {
  const table = new PodTable();
  const runs = pod("a", { metadata: { generation: 1 } });
  table.set(runs);
  table.set(pod("a", { metadata: { generation: 2 }, spec }));
  expect(table.observed(runs as Pod)).toBe(observed);
});

test("a readiness gate that is set while a status is on its way stays, whichever event comes first", async () => {
  const table = new PodTable();
  table.set(pod("a", { spec: { readinessGates: [{ conditionType: "gate" }] } }));
  const shown = { ...pod("a"), status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } } as Pod;
  const gate = { type: "gate", status: "True" };
  const patch = async (): Promise<never> => {
    table.set(pod("a", { spec: { readinessGates: [{ conditionType: "gate" }] }, status: { conditions: [gate] } }));
    const own = { phase: "Running", conditions: [gate, { type: "Ready", status: "True" }] };
    table.set(pod("a", { spec: { readinessGates: [{ conditionType: "gate" }] }, status: own }));
    return {} as never;
  };
  const client = { patch, delete: async () => undefined as never };
  const writer = new StatusWriter({ client, table, hostIP: "192.0.2.1", clock: new VirtualClock(), took: () => {} });
  await writer.write({ pod: shown, final: false }, new AbortController().signal);
  expect(table.get("uid-a")?.status?.conditions).toContainEqual(gate);
});

test("a pod that ended before the agent started is not delivered; when it is deleted, only its object is left", () => {
  const table = new PodTable();
  const ended = { status: { phase: "Succeeded" } };
  expect(table.set(pod("a", ended))).toMatchObject({ set: [], leftovers: [] });
  expect(table.wanted()).toEqual([]);
  const deleted = pod("a", { ...ended, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
  expect(names(table.set(deleted).leftovers)).toEqual(["a"]);
  expect(table.remove(deleted).removed).toEqual([]);
});

test("a pod that ends while the agent has it stays the agent's", () => {
  const table = new PodTable();
  table.set(pod("a"));
  table.set(pod("a", { status: { phase: "Failed" } }));
  expect(names(table.wanted())).toEqual(["a"]);
});

test("a whole collection removes what is not in it", () => {
  const table = new PodTable();
  table.replace([pod("a"), pod("b")]);
  const { set, removed } = table.replace([pod("b"), pod("c")]);
  expect([names(set), removed]).toEqual([["c"], ["uid-a"]]);
});

test("mirrors are no pods of the agent; another one of the name takes the place", () => {
  const table = new PodTable();
  const mirror = (uid: string) => pod("m", { metadata: { uid, annotations: { "kubernetes.io/config.mirror": "h" } } });
  expect(table.set(mirror("1")).set).toEqual([]);
  table.set(mirror("2"));
  table.remove(mirror("1"));
  expect(table.mirror("default/m")?.metadata.uid).toBe("2");
  table.replace([]);
  expect(table.mirrors()).toEqual([]);
});
