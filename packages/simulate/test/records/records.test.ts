import type { Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { Lines } from "../../src/print/lines.js";
import { Figures } from "../../src/records/figures.js";
import { decisionHappenings, eventHappenings } from "../../src/records/from-agent.js";
import { NOTHING_TOLD, podChanges } from "../../src/records/pod-changes.js";
import type { SimulationRecord } from "../../src/records/record.js";
import { EventTimes, stateDifferences } from "../../src/run/restarts.js";

const pod = (status: object, priority?: number): Pod =>
  ({
    metadata: { name: "web", namespace: "default", uid: "u" },
    spec: { priority, containers: [] },
    status,
  }) as unknown as Pod;

describe("changes of a pod", () => {
  const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };

  test("phase and readiness are told when they change, and only then", () => {
    const first = podChanges(pod(ready), NOTHING_TOLD);
    expect(first.happenings).toEqual([
      { kind: "pod.phase", pod: "default/web", phase: "Running" },
      { kind: "pod.ready", pod: "default/web", ready: true },
    ]);
    expect(podChanges(pod(ready), first.told).happenings).toEqual([]);
  });

  test("a pod that waits from its beginning is no news", () => {
    expect(podChanges(pod({ phase: "Pending" }), NOTHING_TOLD).happenings).toEqual([]);
  });
});

describe("decisions", () => {
  const decision = { at: 1, plugin: "core", strategy: "podAdmit", subject: "pod/n/a", considered: [], outcome: "" };

  test("a rejection by core is told of the pod, with the reason's own words", () => {
    const considered = [{ candidate: "core", verdict: "OutOfcpu", why: "Node didn't have enough resource: cpu" }];
    const [first] = decisionHappenings({ ...decision, considered, outcome: "rejected: OutOfcpu" }, () => []);
    expect(first).toMatchObject({ kind: "pod.rejected", pod: "n/a", reason: "OutOfcpu", message: considered[0]?.why });
  });

  test("devices that were taken are told with their NUMA nodes", () => {
    const considered = [
      { candidate: "device/v.example/gpu/g1", verdict: "taken", why: "" },
      { candidate: "device/v.example/gpu/g2", verdict: "free", why: "" },
    ];
    const [first] = decisionHappenings({ ...decision, subject: "container/n/a/main", considered }, () => [1]);
    expect(first).toMatchObject({
      kind: "device.allocated",
      pod: "n/a",
      container: "main",
      resource: "v.example/gpu",
      ids: ["g1"],
      numa: [1],
    });
  });
});

describe("events", () => {
  const event = {
    metadata: {},
    involvedObject: { kind: "Pod", namespace: "default", name: "web", fieldPath: "spec.containers{main}" },
    type: "Warning",
    reason: "Evicted",
    message: "m",
    count: 2,
  };

  test("of a pod that ran and is evicted, its QoS class and priority are told", () => {
    const [first, second] = eventHappenings(event, pod({}, 7));
    expect(first).toEqual({ kind: "pod.evicted", pod: "default/web", qos: "BestEffort", priority: 7, message: "m" });
    expect(second).toMatchObject({
      kind: "event",
      reason: "Evicted",
      object: "pod/default/web",
      container: "main",
      count: 2,
    });
  });

  test("a pod that is not let in is not evicted, though the event has that reason", () => {
    expect(eventHappenings(event, undefined).map(({ kind }) => kind)).toEqual(["event"]);
  });
});

describe("figures", () => {
  test("the time until a pod is ready counts from its apply, the first time alone", () => {
    const figures = new Figures();
    const all: SimulationRecord[] = [
      { t: 1, kind: "pod.applied", pod: "a" },
      { t: 3, kind: "pod.ready", pod: "a", ready: true },
      { t: 5, kind: "pod.ready", pod: "a", ready: false },
      { t: 9, kind: "pod.ready", pod: "a", ready: true },
      { t: 2, kind: "pod.applied", pod: "b" },
      { t: 12, kind: "pod.ready", pod: "b", ready: true },
    ];
    for (const one of all) figures.add(one);
    const table = figures.table({ pods: [], images: [], devices: [] });
    expect([table["ready p50"], table["ready p99"]]).toEqual([2, 10]);
  });

  test("devices count by NUMA node, and those over several", () => {
    const figures = new Figures();
    figures.add({
      t: 0,
      kind: "device.allocated",
      pod: "a",
      container: "m",
      resource: "r",
      ids: ["x", "y"],
      numa: [0, 1],
    });
    expect(figures.table({ pods: [], images: [], devices: [] })).toMatchObject({
      "devices given out": 2,
      "devices: NUMA 0": 1,
      "devices: NUMA 1": 1,
      "devices: over several NUMA nodes": 1,
    });
  });

  test("where nothing became ready there is no time", () => {
    expect(new Figures().table({ pods: [], images: [], devices: [] })["ready p50"]).toBeUndefined();
  });
});

describe("lines for people", () => {
  test("the same result of a probe again is not shown", () => {
    const lines = new Lines();
    const probe = {
      t: 1,
      kind: "probe.result",
      pod: "default/web",
      container: "main",
      type: "liveness",
      result: "success",
    } as const;
    expect(lines.line(probe)).toBe("1s          web                  main liveness probe: success");
    expect(lines.line({ ...probe, t: 2 })).toBeUndefined();
    expect(lines.line({ ...probe, t: 3, result: "failure" })).toContain("failure");
  });
});

describe("restarts of the agent", () => {
  test("probes that succeed again are no events at which one is tried", () => {
    const times = new EventTimes();
    times.add({ t: 2, kind: "pod.applied", pod: "a" });
    times.add({ t: 2, kind: "pod.admitted", pod: "a" });
    times.add({ t: 3, kind: "probe.result", pod: "a", container: "m", type: "liveness", result: "success" });
    times.add({ t: 1, kind: "agent.restarted" });
    expect(times.list()).toEqual([1000, 2000]);
  });

  test("a pod, an image, a device that is another at the end is named", () => {
    const state = { pods: [], images: ["a:1"], devices: [{ device: "r/d", holder: "x" }] };
    expect(stateDifferences(state, state)).toEqual([]);
    expect(stateDifferences(state, { ...state, images: [] })).toEqual(['a:1: expected "a:1", found none']);
  });
});
