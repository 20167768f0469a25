import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { podStatusPatch, type Status, writtenStatus } from "../../../src/pods/status-patch.js";
import { condition, EARLY, exited, LATE, merged, running } from "./statuses.js";

test.each<[string, Status, Status, Partial<Status>]>([
  ["a phase that is not final is reported", { phase: "Running" }, { phase: "Pending" }, { phase: "Running" }],
  [
    "Failed waits until nothing runs any more, and so do its reason and message",
    { phase: "Failed", reason: "Evicted", message: "m", containerStatuses: [running("a")] },
    { phase: "Running" },
    { phase: "Running" },
  ],
  [
    "Failed comes once nothing runs",
    { phase: "Failed", reason: "Evicted", message: "m", containerStatuses: [exited("a", 137, "Error")] },
    { phase: "Running" },
    { phase: "Failed", reason: "Evicted", message: "m" },
  ],
  ["Succeeded is for good", { phase: "Running" }, { phase: "Succeeded" }, { phase: "Succeeded" }],
  [
    "Failed waits for init containers as well",
    { phase: "Failed", reason: "Evicted", initContainerStatuses: [running("init")] },
    { phase: "Pending" },
    { phase: "Pending" },
  ],
  ["a pod without any phase is Pending", {}, {}, { phase: "Pending" }],
  [
    "a pod that ends before the API has a phase is Pending for so long",
    { phase: "Failed", containerStatuses: [running("a")] },
    {},
    { phase: "Pending" },
  ],
  ["the start time is reported", { startTime: LATE }, {}, { startTime: LATE }],
  [
    "an address of its own takes the place of the API's, with all that belong to it",
    { podIP: "5.6.7.8", podIPs: [{ ip: "5.6.7.8" }] },
    { podIP: "1.2.3.4", podIPs: [{ ip: "1.2.3.4" }, { ip: "fd00::1" }] },
    { podIP: "5.6.7.8", podIPs: [{ ip: "5.6.7.8" }] },
  ],
  ["the first start time stays", { startTime: LATE }, { startTime: EARLY }, { startTime: EARLY }],
  [
    "the addresses stay after the end",
    { phase: "Failed" },
    { podIP: "1.2.3.4", podIPs: [{ ip: "1.2.3.4" }] },
    { podIP: "1.2.3.4", podIPs: [{ ip: "1.2.3.4" }] },
  ],
  ["the host's address is reported", {}, {}, { hostIP: "10.0.0.1", hostIPs: [{ ip: "10.0.0.1" }] }],
])("%s", (_name, said, inApi, expected) => {
  const { phase, reason, message, ...rest } = merged(said, inApi);
  expect({ phase, reason, message, ...rest }).toMatchObject(expected);
  if (!("reason" in expected)) expect(reason).toBeUndefined();
});

test("containers are matched by name", () => {
  const { containerStatuses } = merged({ containerStatuses: [running("b"), running("a")] });
  expect(containerStatuses?.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("a container of which nothing is left keeps the end that the API knows", () => {
  const known = exited("a", 0, "Completed");
  const { containerStatuses } = merged(
    { containerStatuses: [exited("a", 137, "ContainerStatusUnknown")] },
    { containerStatuses: [known] },
  );
  expect(containerStatuses).toEqual([known]);
});

test("of init containers too, and of each its own end; one that the API does not know as ended is reported as unknown", () => {
  const gone = (name: string) => exited(name, 137, "ContainerStatusUnknown");
  const known = [exited("b", 1, "Error"), exited("a", 0, "Completed"), running("c")];
  const { containerStatuses, initContainerStatuses } = merged(
    { containerStatuses: [gone("a"), gone("c"), gone("d")], initContainerStatuses: [gone("b")] },
    { containerStatuses: known, initContainerStatuses: known },
  );
  expect(containerStatuses).toEqual([known[1], gone("c"), gone("d")]);
  expect(initContainerStatuses).toEqual([known[0]]);
  expect(merged({ containerStatuses: [gone("a")] }).containerStatuses).toEqual([gone("a")]);
});

test("a known end is reported, whatever the API has", () => {
  const ended = exited("a", 1, "Error");
  const { containerStatuses } = merged(
    { containerStatuses: [ended] },
    { containerStatuses: [exited("a", 0, "Completed")] },
  );
  expect(containerStatuses).toEqual([ended]);
});

test("containers for debugging are reported unchanged, where there are some", () => {
  expect(merged({ ephemeralContainerStatuses: [running("debug")] }).ephemeralContainerStatuses).toEqual([
    running("debug"),
  ]);
  expect(merged({})).not.toHaveProperty("ephemeralContainerStatuses");
});

test.each([
  { name: "the pod's where it is newer", inApi: 3, generation: 5, observed: 5 },
  { name: "the API's by default", inApi: 3, generation: undefined, observed: 3 },
  { name: "the pod's where the API has none", inApi: undefined, generation: 1, observed: 1 },
  { name: "none without any", inApi: undefined, generation: undefined, observed: undefined },
])("observedGeneration is $name", ({ inApi, generation, observed }) => {
  const status = inApi === undefined ? {} : { observedGeneration: inApi };
  const found = merged(
    { conditions: [condition("Ready", "True")] },
    status,
    generation === undefined ? {} : { generation },
  );
  expect([found.observedGeneration, found.conditions?.[0]?.observedGeneration]).toEqual([observed, observed]);
  expect("observedGeneration" in found).toBe(observed !== undefined);
});

test("observedGeneration never falls, and stands at the node's own conditions as well", () => {
  const { observedGeneration, conditions } = merged(
    { conditions: [condition("Ready", "True")] },
    { observedGeneration: 5 },
    { generation: 3 },
  );
  expect(observedGeneration).toBe(5);
  expect(conditions?.[0]?.observedGeneration).toBe(5);
});

test("the time of a condition moves with its status alone", () => {
  const inApi = {
    conditions: [
      condition("Ready", "True", { lastTransitionTime: EARLY }),
      condition("Initialized", "False", { lastTransitionTime: EARLY }),
    ],
  };
  const { conditions } = merged({ conditions: [condition("Ready", "True"), condition("Initialized", "True")] }, inApi);
  expect(conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([EARLY, LATE]);
});

test("a condition whose time the API does not know has the node's", () => {
  const { lastTransitionTime: _, ...timeless } = condition("Ready", "True");
  const { conditions } = merged({ conditions: [condition("Ready", "True")] }, { conditions: [timeless] });
  expect(conditions?.[0]?.lastTransitionTime).toBe(LATE);
});

test("the time of the last probe is not reported", () => {
  const { conditions } = merged({ conditions: [condition("Ready", "True", { lastProbeTime: EARLY })] });
  expect(conditions).toEqual([condition("Ready", "True")]);
});

test("conditions that others set are not reported", () => {
  const { conditions } = merged(
    { conditions: [condition("example.com/gate", "True"), condition("Ready", "True")] },
    {},
    { foreign: ["example.com/gate"] },
  );
  expect(conditions?.map(({ type }) => type)).toEqual(["Ready"]);
});

test("DisruptionTarget comes with the final phase", () => {
  const conditions = [condition("DisruptionTarget", "True")];
  expect(merged({ phase: "Failed", conditions, containerStatuses: [running("a")] }).conditions).toEqual([]);
  expect(merged({ phase: "Failed", conditions }).conditions).toHaveLength(1);
  expect(merged({ phase: "Running", conditions }, { conditions }).conditions).toHaveLength(1);
});

test.each<[string, Status, Status, unknown]>([
  [
    "nothing differs: nothing is sent",
    { phase: "Running", podIPs: [{ ip: "1.1.1.1" }] },
    { phase: "Running", podIPs: [{ ip: "1.1.1.1" }] },
    undefined,
  ],
  ["empty, null and absent are one", { message: "", containerStatuses: [] }, {}, undefined],
  [
    "what is null within is not there",
    { containerStatuses: [{ ...running("a"), lastState: null as never }] },
    { containerStatuses: [running("a")] },
    undefined,
  ],
  [
    "a number of 0 and false are reported",
    { containerStatuses: [running("a")] },
    { containerStatuses: [{ ...running("a"), restartCount: undefined as never }] },
    { containerStatuses: [running("a")] },
  ],
  ["what is gone is null", {}, { reason: "Evicted" }, { reason: null }],
  [
    "a list that is merged by key is replaced whole",
    { podIPs: [{ ip: "1.1.1.1" }] },
    {},
    { podIPs: [{ ip: "1.1.1.1" }, { $patch: "replace" }] },
  ],
  ["statuses of containers go whole", { containerStatuses: [running("a")] }, {}, { containerStatuses: [running("a")] }],
  [
    "only conditions that differ are sent",
    { conditions: [condition("Ready", "True"), condition("Initialized", "True")] },
    { conditions: [condition("Ready", "False"), condition("Initialized", "True", { lastProbeTime: null as never })] },
    { conditions: [condition("Ready", "True")] },
  ],
  [
    "a condition's outdated message is removed",
    { conditions: [condition("Ready", "True")] },
    { conditions: [condition("Ready", "False", { reason: "ContainersNotReady", message: "m" })] },
    { conditions: [{ reason: null, message: null, ...condition("Ready", "True") }] },
  ],
  [
    "an own condition that is no longer reported is deleted, another's stays",
    { conditions: [] },
    { conditions: [condition("PodResizePending", "True"), condition("example.com/gate", "True")] },
    { conditions: [{ type: "PodResizePending", $patch: "delete" }] },
  ],
])("%s", (_name, after, inApi, expected) => {
  expect(podStatusPatch(after, inApi)).toEqual(expected);
});

test.each<[string, Status, Status, unknown]>([
  [
    "a condition that the API has not is sent whole",
    { conditions: [condition("Ready", "True", { reason: "R" })] },
    {},
    { conditions: [condition("Ready", "True", { reason: "R" })] },
  ],
  [
    "a condition's message is reported, not removed",
    { conditions: [condition("Ready", "False", { reason: "R", message: "m" })] },
    { conditions: [condition("Ready", "False", { reason: "Q", message: "m" })] },
    { conditions: [condition("Ready", "False", { reason: "R", message: "m" })] },
  ],
  [
    "a disruption stays true, even if it is not reported any more",
    {},
    { conditions: [condition("DisruptionTarget", "True")] },
    undefined,
  ],
])("%s", (_name, after, inApi, expected) => {
  expect(podStatusPatch(after, inApi)).toEqual(expected);
});

test.each<{ name: string; after: Status; before: Status; written: Status }>([
  {
    name: "the node's fields are as it said, also those that it no longer has",
    after: { phase: "Running", podIP: "1.2.3.4", message: "" },
    before: { phase: "Pending", reason: "R", message: "m" },
    written: { phase: "Running", podIP: "1.2.3.4" },
  },
  {
    name: "fields of others stay",
    after: { phase: "Running" },
    before: { nominatedNodeName: "n" },
    written: { phase: "Running", nominatedNodeName: "n" },
  },
  {
    name: "fields of others are not the node's to say",
    after: { nominatedNodeName: "x" },
    before: {},
    written: {},
  },
  {
    name: "the node's conditions are as it said, those of others stay, and so does a disruption",
    after: { conditions: [condition("Ready", "True")] },
    before: {
      conditions: [
        condition("Ready", "False"),
        condition("Initialized", "True"),
        condition("example.com/gate", "True"),
        condition("DisruptionTarget", "True"),
      ],
    },
    written: {
      conditions: [
        condition("example.com/gate", "True"),
        condition("DisruptionTarget", "True"),
        condition("Ready", "True"),
      ],
    },
  },
  {
    name: "a condition that the node says no more is gone",
    after: {},
    before: { conditions: [condition("Ready", "True")] },
    written: {},
  },
])("once it is reported: $name", ({ after, before, written }) => {
  expect(writtenStatus(after, before)).toEqual(written);
});

test("a reported status is never reported again", () => {
  const phases = fc.constantFrom("Pending", "Running", "Succeeded", "Failed");
  const types = fc.uniqueArray(fc.constantFrom("Ready", "Initialized", "ContainersReady", "DisruptionTarget"));
  const statuses = fc.record({
    phase: phases,
    conditions: types.map((all) => all.map((type) => condition(type, "True"))),
    containerStatuses: fc.uniqueArray(fc.constantFrom("a", "b", "c")).map((names) => names.map(running)),
  });
  fc.assert(
    fc.property(statuses, statuses, fc.nat(5), (said, inApi, generation) => {
      const after = merged(said, inApi, { generation });
      expect(podStatusPatch(after, after)).toBeUndefined();
      const again = merged(said, after, { generation });
      expect(podStatusPatch(again, after)).toBeUndefined();
    }),
  );
});
