import type { Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { Lines } from "../../../src/print/lines.js";
import { Figures } from "../../../src/records/figures.js";
import { decisionHappenings, eventHappenings, NOTHING_RECORDED, podChanges } from "../../../src/records/from-agent.js";
import { type Happening, podFacts, type SimulationRecord } from "../../../src/records/record.js";
import { EventTimes, stateDifferences } from "../../../src/run/restarts.js";

const pod = (status: object, priority?: number): Pod =>
  ({
    metadata: { name: "web", namespace: "default", uid: "u" },
    spec: { priority, containers: [] },
    status,
  }) as unknown as Pod;

describe("changes of a pod", () => {
  const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };

  test("phase and readiness are recorded when they change, and only then", () => {
    const first = podChanges(pod(ready), NOTHING_RECORDED);
    expect(first.happenings).toEqual([
      { kind: "pod.phase", pod: "default/web", phase: "Running" },
      { kind: "pod.ready", pod: "default/web", ready: true },
    ]);
    expect(podChanges(pod(ready), first.recorded).happenings).toEqual([]);
  });

  test("a pod that stops being ready, or ends, is recorded with its reason, where it has one", () => {
    const { recorded } = podChanges(pod(ready), NOTHING_RECORDED);
    const failed = podChanges(pod({ phase: "Failed", reason: "Evicted" }), recorded);
    expect(failed.happenings).toEqual([
      { kind: "pod.phase", pod: "default/web", phase: "Failed", reason: "Evicted" },
      { kind: "pod.ready", pod: "default/web", ready: false },
    ]);
    expect(failed.recorded).toEqual({ ready: false, phase: "Failed" });
  });

  test("restarts are those of all its containers; a pod without a status waits", () => {
    const counted = {
      initContainerStatuses: [{ restartCount: 1 }],
      containerStatuses: [{ restartCount: 2 }, { restartCount: 4 }],
    };
    expect(podFacts(pod({ ...ready, ...counted }))).toEqual({
      pod: "default/web",
      phase: "Running",
      ready: true,
      restarts: 7,
    });
    expect(podFacts({ ...pod({}), status: undefined } as never)).toEqual({
      pod: "default/web",
      phase: "Pending",
      ready: false,
      restarts: 0,
    });
  });

  test("a pod that waits from its beginning is no news", () => {
    expect(podChanges(pod({ phase: "Pending" }), NOTHING_RECORDED).happenings).toEqual([]);
  });
});

describe("decisions", () => {
  const decision = { at: 1, plugin: "core", strategy: "podAdmit", subject: "pod/n/a", considered: [], outcome: "" };

  test("a rejection by core is recorded for the pod, with the reason's own words", () => {
    const considered = [{ candidate: "core", verdict: "OutOfcpu", why: "Node didn't have enough resource: cpu" }];
    const [first] = decisionHappenings({ ...decision, considered, outcome: "rejected: OutOfcpu" }, () => []);
    expect(first).toMatchObject({ kind: "pod.rejected", pod: "n/a", reason: "OutOfcpu", message: considered[0]?.why });
  });

  test.each([
    { name: "another plugin's", part: { plugin: "eviction" } },
    { name: "another strategy's", part: { strategy: "evict" } },
    { name: "one that lets the pod in", part: { outcome: "admitted" } },
    { name: "one that only ends in these words", part: { outcome: "not rejected: x" } },
  ])("$name is no rejection, and is recorded as it is, without its time", ({ part }) => {
    const { at: _, ...bare } = { ...decision, outcome: "rejected: x", ...part };
    expect(decisionHappenings({ at: 1, ...bare }, () => [])).toEqual([{ kind: "decision", ...bare }]);
  });

  test("a rejection without a reason has none", () => {
    const considered = [{ candidate: "core", verdict: "fits", why: "yes" }];
    const [first] = decisionHappenings({ ...decision, considered, outcome: "rejected: OutOfcpu" }, () => []);
    expect(first).toEqual({ kind: "pod.rejected", pod: "n/a", reason: "OutOfcpu", message: "" });
  });

  test("devices of a resource are recorded together, each with its first NUMA node or none", () => {
    const taken = ["device/v/gpu/g1", "device/v/nic/n1", "device/v/gpu/g2", "device/bare", "x/device/v/gpu/g3"];
    const considered = taken.map((candidate) => ({ candidate, verdict: "taken", why: "" }));
    const numaOf = (resource: string, id: string) => (resource === "v/gpu" && id === "g1" ? [3, 1] : []);
    const of = (subject: string) => decisionHappenings({ ...decision, subject, considered }, numaOf).slice(0, -1);
    const common = { kind: "device.allocated", pod: "n/a", container: "main" };
    expect(of("container/n/a/main")).toEqual([
      { ...common, resource: "v/gpu", ids: ["g1", "g2"], numa: [3, null] },
      { ...common, resource: "v/nic", ids: ["n1"], numa: [null] },
    ]);
    expect(of("pod/n/a/main")).toEqual([]);
  });

  test("devices that were taken are recorded with their NUMA nodes", () => {
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

  test("of a pod that ran and is evicted, its QoS class and priority are recorded", () => {
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

  test("a pod that is evicted for a critical one is preempted; without a priority it has 0", () => {
    const [first] = eventHappenings({ ...event, reason: "Preempting" }, pod({}));
    expect(first).toMatchObject({ kind: "pod.preempted", priority: 0 });
  });

  test("any other event, and one of a node, says nothing of a pod", () => {
    expect(eventHappenings({ ...event, reason: "Killing" }, pod({})).map(({ kind }) => kind)).toEqual(["event"]);
    const node = { ...event, involvedObject: { kind: "Node", name: "n" } };
    expect(eventHappenings(node, pod({}))).toEqual([
      { kind: "event", type: "Warning", reason: "Evicted", message: "m", object: "node/n", count: 2 },
    ]);
  });

  test("what an event does not say is empty, its count one, its namespace the default one", () => {
    expect(eventHappenings({ metadata: {} } as never, undefined)).toEqual([
      { kind: "event", type: "", reason: "", message: "", object: "node/", count: 1 },
    ]);
    const [only] = eventHappenings(
      { metadata: {}, involvedObject: { kind: "Pod", name: "a", fieldPath: "spec.containers{m} " } } as never,
      undefined,
    );
    expect(only).toEqual({ kind: "event", type: "", reason: "", message: "", object: "pod/default/a", count: 1 });
  });

  test("a pod that is not let in is not evicted, though the event has that reason", () => {
    expect(eventHappenings(event, undefined).map(({ kind }) => kind)).toEqual(["event"]);
  });
});

const READY: Happening = { kind: "pod.ready", pod: "a", ready: true };

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

  test("a time is written to the millisecond, as its records are", () => {
    const figures = new Figures();
    figures.add({ t: 30.1, kind: "pod.applied", pod: "a" });
    figures.add({ t: 90.1, kind: "pod.ready", pod: "a", ready: true });
    expect(figures.table({ pods: [], images: [], devices: [] })["ready p50"]).toBe(60);
  });

  const recorded = (...all: readonly Happening[]) => {
    const figures = new Figures();
    for (const one of all) figures.add({ t: 0, ...one } as SimulationRecord);
    return figures.table({
      pods: ["Running", "Running", "Pending", "Failed", "Failed", "Failed", "Succeeded"].map((phase) => ({ phase })),
      images: [],
      devices: [],
    } as never);
  };
  const NOTHING = {
    "pods running": 2,
    "pods pending": 1,
    "pods failed": 3,
    "pods rejected": 0,
    preempted: 0,
    evicted: 0,
    "containers started": 0,
    restarts: 0,
    "oom kills": 0,
    "failed probes": 0,
    pulls: 0,
    "bytes pulled": 0,
    "images removed": 0,
    "bytes removed": 0,
    "devices given out": 0,
  };
  const common = { pod: "a", container: "m", attempt: 0, message: "", reason: "", code: 1 };
  const victim = { pod: "a", message: "", qos: "Burstable", priority: 5 };
  const probe = { pod: "a", container: "m", type: "liveness" } as const;
  const image = { id: "i", names: [], image: "i", size: 3 };
  const device = { pod: "a", container: "m", resource: "r" };

  test.each<{ of: readonly Happening[]; is: object }>([
    { of: [], is: {} },
    { of: [{ kind: "pod.rejected", ...common }], is: { "pods rejected": 1 } },
    { of: [{ kind: "pod.preempted", ...victim }], is: { preempted: 1 } },
    {
      of: [
        { kind: "pod.evicted", ...victim },
        { kind: "pod.evicted", ...victim, qos: "BestEffort" },
      ],
      is: { evicted: 2, "evicted: Burstable": 1, "evicted: BestEffort": 1, "evicted: priority 5": 2 },
    },
    { of: [{ kind: "container.started", ...common }], is: { "containers started": 1 } },
    { of: [{ kind: "container.restarted", ...common }], is: { restarts: 1 } },
    { of: [{ kind: "container.exited", ...common }], is: {} },
    { of: [{ kind: "container.exited", ...common, reason: "OOMKilled" }], is: { "oom kills": 1 } },
    {
      of: [
        { kind: "image.pulled", ...image },
        { kind: "image.pulled", ...image },
      ],
      is: { pulls: 2, "bytes pulled": 6 },
    },
    { of: [{ kind: "image.removed", ...image }], is: { "images removed": 1, "bytes removed": 3 } },
    {
      of: [
        { kind: "probe.result", ...probe, result: "success" },
        { kind: "probe.result", ...probe, result: "failure" },
        { kind: "probe.result", ...probe, result: "unknown" },
      ],
      is: { "failed probes": 2 },
    },
    {
      of: [
        { kind: "device.allocated", ...device, ids: ["x", "y"], numa: [null, null] },
        { kind: "device.allocated", ...device, ids: ["z"], numa: [1] },
      ],
      is: { "devices given out": 3, "devices: NUMA unknown": 2, "devices: NUMA 1": 1 },
    },
  ])("count what happened: $is", ({ of, is }) => {
    expect(recorded(...of)).toEqual({ ...NOTHING, ...is });
  });

  test("stand in the order of their names below the one that they are of", () => {
    const evicted = ["Guaranteed", "BestEffort", "Burstable"].map(
      (qos): Happening => ({ kind: "pod.evicted", ...victim, qos }),
    );
    const names = Object.keys(recorded(...evicted));
    expect(names.slice(names.indexOf("evicted"), names.indexOf("containers started"))).toEqual([
      "evicted",
      "evicted: BestEffort",
      "evicted: Burstable",
      "evicted: Guaranteed",
      "evicted: priority 5",
    ]);
  });

  test("a pod that was gone before it was ready has no time", () => {
    expect(recorded({ kind: "pod.applied", pod: "a" }, { kind: "pod.removed", pod: "a" }, READY)["ready p50"]).toBe(
      undefined,
    );
    expect(recorded({ kind: "pod.applied", pod: "a" }, { ...READY, ready: false })["ready p50"]).toBe(undefined);
    expect(recorded({ kind: "pod.applied", pod: "a" }, READY)["ready p50"]).toBe(0);
  });

  test("of times the median and the 99th percentile are given", () => {
    const figures = new Figures();
    for (let index = 200; index >= 1; index--) {
      figures.add({ t: 0, kind: "pod.applied", pod: `p${index}` });
      figures.add({ t: index, kind: "pod.ready", pod: `p${index}`, ready: true });
    }
    const table = figures.table({ pods: [], images: [], devices: [] });
    expect([table["ready p50"], table["ready p99"]]).toEqual([100, 198]);
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
