import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Status } from "../../src/pods/status-merge.js";
import { podStatusPatch } from "../../src/pods/status-patch.js";
import { condition, EARLY, exited, LATE, merged, running } from "./statuses.js";

test.each<[string, Status, Status, Partial<Status>]>([
  ["a phase that is not final is told", { phase: "Running" }, { phase: "Pending" }, { phase: "Running" }],
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
  ["the first start time stays", { startTime: LATE }, { startTime: EARLY }, { startTime: EARLY }],
  [
    "the addresses stay after the end",
    { phase: "Failed" },
    { podIP: "1.2.3.4", podIPs: [{ ip: "1.2.3.4" }] },
    { podIP: "1.2.3.4", podIPs: [{ ip: "1.2.3.4" }] },
  ],
  ["the host's address is told", {}, {}, { hostIP: "10.0.0.1", hostIPs: [{ ip: "10.0.0.1" }] }],
])("%s", (_name, said, inApi, expected) => {
  const { phase, reason, message, ...rest } = merged(said, inApi);
  expect({ phase, reason, message, ...rest }).toMatchObject(expected);
  if (!("reason" in expected)) expect(reason).toBeUndefined();
});

test("containers are told by name", () => {
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

test("conditions that others set are not the node's to tell", () => {
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
});

test.each<[string, Status, Status, unknown]>([
  [
    "nothing differs: nothing is sent",
    { phase: "Running", podIPs: [{ ip: "1.1.1.1" }] },
    { phase: "Running", podIPs: [{ ip: "1.1.1.1" }] },
    undefined,
  ],
  ["empty, null and absent are one", { message: "", containerStatuses: [] }, {}, undefined],
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
    "words that a condition has no more are taken away",
    { conditions: [condition("Ready", "True")] },
    { conditions: [condition("Ready", "False", { reason: "ContainersNotReady", message: "m" })] },
    { conditions: [{ reason: null, message: null, ...condition("Ready", "True") }] },
  ],
  [
    "an own condition that is said no more is deleted, another's stays",
    { conditions: [] },
    { conditions: [condition("PodResizePending", "True"), condition("example.com/gate", "True")] },
    { conditions: [{ type: "PodResizePending", $patch: "delete" }] },
  ],
])("%s", (_name, after, inApi, expected) => {
  expect(podStatusPatch(after, inApi)).toEqual(expected);
});

test("a status that has been told needs no second telling, whatever it is", () => {
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
