import { describe, expect, test } from "@jest/globals";
import { type Condition, podConditions } from "../../../../src/pod/status/conditions.js";
import type { ContainerStatus } from "../../../../src/pod/status/status-types.js";
import { aContainer, aPod } from "../../../pod/pods.js";

const status = (name: string, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  state: { waiting: { reason: "x" } },
  lastState: {},
  ready: false,
  restartCount: 0,
  image: "",
  imageID: "",
  started: false,
  ...more,
});
const up = (name: string): ContainerStatus =>
  status(name, { state: { running: { startedAt: "2026-11-22T10:00:00Z" } }, ready: true, started: true });

const given = (more: Partial<Parameters<typeof podConditions>[0]> = {}): readonly Condition[] =>
  podConditions({
    pod: aPod(),
    phase: "Running",
    sandboxReady: true,
    initStatuses: [],
    statuses: [up("main")],
    others: [],
    ...more,
  });
const one = (type: string, more: Partial<Parameters<typeof podConditions>[0]> = {}) =>
  given(more).find((condition) => condition.type === type);

const withInit = aPod({ initContainers: [aContainer("i"), aContainer("s", { restartPolicy: "Always" })] });
const two = aPod({ containers: [aContainer("a"), aContainer("b")] });

test("a pod that runs has the kubelet's conditions in the kubelet's order, others first", () => {
  expect(given({ others: [{ type: "mine", status: "False" }] })).toEqual([
    { type: "mine", status: "False" },
    { type: "PodReadyToStartContainers", status: "True" },
    { type: "Initialized", status: "True" },
    { type: "Ready", status: "True" },
    { type: "ContainersReady", status: "True" },
    { type: "PodScheduled", status: "True" },
  ]);
});

test("without a sandbox nothing can start", () => {
  expect(one("PodReadyToStartContainers", { sandboxReady: false })?.status).toBe("False");
});

describe("Initialized", () => {
  test.each<{ name: string; given: object; expected: object }>([
    { name: "without init containers", given: { statuses: [status("main")] }, expected: { status: "True" } },
    {
      name: "once the pod succeeded",
      given: { phase: "Succeeded", statuses: [status("main")] },
      expected: { status: "True", reason: "PodCompleted" },
    },
    {
      name: "once a main container has started, whatever init containers show",
      given: { pod: withInit, initStatuses: [status("i"), status("s")] },
      expected: { status: "True" },
    },
    {
      name: "while none of them is done",
      given: { pod: withInit, initStatuses: [status("i"), status("s")], statuses: [status("main")] },
      expected: {
        status: "False",
        reason: "ContainersNotInitialized",
        message: "containers with incomplete status: [i s]",
      },
    },
    {
      name: "while nothing is known of some",
      given: { pod: withInit, initStatuses: [status("s", { ready: true })], statuses: [status("main")] },
      expected: {
        status: "False",
        reason: "ContainersNotInitialized",
        message: "containers with unknown status: [i], containers with incomplete status: [s]",
      },
    },
    {
      name: "when plain ones are ready and sidecars have started",
      given: {
        pod: withInit,
        initStatuses: [status("i", { ready: true }), status("s", { started: true })],
        statuses: [status("main")],
      },
      expected: { status: "True" },
    },
    {
      name: "of a pod that succeeded of which something is unknown",
      given: { pod: withInit, phase: "Succeeded", initStatuses: [], statuses: [status("main")] },
      expected: {
        status: "False",
        reason: "ContainersNotInitialized",
        message: "containers with unknown status: [i s]",
      },
    },
  ])("$name", ({ given: more, expected }) => {
    expect(one("Initialized", more)).toEqual({ type: "Initialized", ...expected });
  });
});

describe("ContainersReady, and so Ready", () => {
  test.each<{ name: string; given: object; expected: object }>([
    {
      name: "while one is not",
      given: { pod: two, statuses: [up("a"), status("b")] },
      expected: { status: "False", reason: "ContainersNotReady", message: "containers with unready status: [b]" },
    },
    {
      name: "while one is not known",
      given: { pod: two, statuses: [status("a")] },
      expected: {
        status: "False",
        reason: "ContainersNotReady",
        message: "containers with unknown status: [b], containers with unready status: [a]",
      },
    },
    {
      name: "counts sidecars, and no plain init containers",
      given: { pod: withInit, initStatuses: [status("i"), status("s")] },
      expected: { status: "False", reason: "ContainersNotReady", message: "containers with unready status: [s]" },
    },
    {
      name: "once the pod succeeded",
      given: { phase: "Succeeded", statuses: [status("main")] },
      expected: { status: "False", reason: "PodCompleted" },
    },
    {
      name: "once the pod failed",
      given: { phase: "Failed", statuses: [status("main")] },
      expected: { status: "False", reason: "PodFailed" },
    },
    {
      name: "of a pod that succeeded, something unknown",
      given: { phase: "Succeeded", statuses: [] },
      expected: { status: "False", reason: "ContainersNotReady", message: "containers with unknown status: [main]" },
    },
    {
      name: "of a pod that failed, something unknown",
      given: { phase: "Failed", statuses: [] },
      expected: { status: "False", reason: "ContainersNotReady", message: "containers with unknown status: [main]" },
    },
  ])("$name", ({ given: more, expected }) => {
    expect(one("ContainersReady", more)).toEqual({ type: "ContainersReady", ...expected });
    expect(one("Ready", more)).toEqual({ type: "Ready", ...expected });
  });
});

describe("readiness gates", () => {
  const readinessGates = [{ conditionType: "example.com/a" }, { conditionType: "example.com/b" }];
  const gated = aPod({ readinessGates });
  const says = (name: string, value: Condition["status"]): Condition => ({
    type: `example.com/${name}`,
    status: value,
  });
  const ready = (...others: readonly Condition[]) => one("Ready", { pod: gated, others });

  test("that are all True let the pod be ready", () => {
    expect(ready(says("a", "True"), says("b", "True"))).toEqual({ type: "Ready", status: "True" });
  });

  test("hold it while one is not set, or not True, in the kubelet's words", () => {
    expect(ready(says("b", "Unknown"))).toEqual({
      type: "Ready",
      status: "False",
      reason: "ReadinessGatesNotReady",
      message:
        'corresponding condition of pod readiness gate "example.com/a" does not exist., the status of pod readiness gate "example.com/b" is not "True", but Unknown',
    });
    expect(ready(says("a", "True"), says("b", "False"))?.status).toBe("False");
  });

  test("of the kubelet's own conditions count as well", () => {
    const pod = aPod({ readinessGates: [{ conditionType: "Initialized" }] });
    expect(one("Ready", { pod })?.status).toBe("True");
  });

  test("have no message as long as the containers are not ready", () => {
    expect(one("Ready", { pod: gated, statuses: [status("main")] })?.reason).toBe("ContainersNotReady");
  });
});

describe("AllContainersRestarting", () => {
  const rule = { action: "RestartAllContainers", exitCodes: { operator: "In", values: [1] } };
  const pod = aPod({ containers: [aContainer("main", { restartPolicyRules: [rule] } as never)] });
  const type = "AllContainersRestarting";

  test("is a condition of pods with such a rule alone", () => {
    expect(one(type)).toBeUndefined();
    expect(one(type, { restartingAll: true })).toBeUndefined();
  });

  test.each<[string, object, object]>([
    ["while none calls for it", {}, { status: "False" }],
    [
      "while they are removed",
      { restartingAll: true },
      { status: "True", reason: "RestartAllContainersStarted", message: "container exited with restart policy rule" },
    ],
    [
      "once the pod succeeded",
      { phase: "Succeeded", restartingAll: true },
      { status: "False", reason: "PodCompleted" },
    ],
    ["once the pod failed", { phase: "Failed", restartingAll: true }, { status: "False", reason: "PodFailed" }],
  ])("%s is the kubelet's", (_, more, expected) => {
    expect(one(type, { pod, ...more })).toEqual({ type, ...expected });
  });
});
