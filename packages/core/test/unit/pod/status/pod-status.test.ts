import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import type { TerminationCause } from "../../../../src/hooks/termination.js";
import { next } from "../../../../src/pod/next.js";
import { initialState, type PodEvent, type PodState } from "../../../../src/pod/state.js";
import { deadlineMessage, podStatus, withStatus } from "../../../../src/pod/status/pod-status.js";
import type { PodStatus } from "../../../../src/pod/status/status-types.js";
import { aContainer, aPod } from "../../../pod/pods.js";

const NODE = "192.0.2.1";
const START = Date.parse("2026-11-22T10:00:00Z");
const WALL = START + 60_000;

const after = (pod: Pod, ...events: readonly PodEvent[]): PodState => events.reduce(next, initialState(pod, START, 0));
const statusOf = (state: PodState, previous?: PodStatus, wall = WALL): PodStatus =>
  podStatus(state, { idPrefix: "test", now: 0, wall, nodeIp: NODE, ...(previous !== undefined && { previous }) });

const ready = (ips: readonly string[] = []): PodEvent => ({ type: "sandboxReady", id: "s0", attempt: 0, ips, at: 0 });
const ADMITTED: PodEvent = { type: "admitted" };
const running = (container = "main"): PodEvent => ({
  type: "observed",
  container,
  observation: { kind: "running", id: `${container}-0`, attempt: 0, startedAt: START, imageRef: "image" },
});
const exited = (exitCode: number, container = "main"): PodEvent => ({
  type: "observed",
  container,
  observation: {
    kind: "exited",
    exit: {
      id: `${container}-0`,
      attempt: 0,
      exitCode,
      reason: "Error",
      message: "",
      startedAt: START,
      finishedAt: START + 1_000,
      seen: 1_000,
      imageRef: "image",
    },
  },
});
const terminate = (cause: TerminationCause, more: object = {}): PodEvent => ({
  type: "terminate",
  cause,
  at: WALL,
  ...more,
});

describe("addresses of a pod", () => {
  test("are those of its sandbox, the first one as its own", () => {
    expect(statusOf(after(aPod(), ADMITTED, ready(["10.0.0.1", "fd00::1"])))).toMatchObject({
      podIP: "10.0.0.1",
      podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }],
    });
  });

  test("are the node's on the host network, unless the sandbox has some", () => {
    const onHost = aPod({ hostNetwork: true });
    expect(statusOf(after(onHost, ADMITTED, ready()))).toMatchObject({ podIP: NODE, podIPs: [{ ip: NODE }] });
    expect(statusOf(after(onHost, ADMITTED, ready(["10.0.0.1"])))).toMatchObject({ podIPs: [{ ip: "10.0.0.1" }] });
  });

  test("are none by default", () => {
    const status = statusOf(after(aPod(), ADMITTED, ready()));
    expect(status).not.toHaveProperty("podIP");
    expect(status).not.toHaveProperty("podIPs");
    expect(statusOf(after(aPod({ hostNetwork: true }), ADMITTED))).not.toHaveProperty("podIP");
  });

  test("stay while the sandbox is away", () => {
    const up = after(aPod(), ADMITTED, ready(["10.0.0.1"]));
    const gone = next(up, { type: "sandboxDead", id: "s0", attempt: 0 });
    expect(statusOf(gone, statusOf(up))).toMatchObject({ podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] });
  });

  test("the node's own are no part of a standalone node's status", () => {
    expect(Object.keys(statusOf(after(aPod(), ADMITTED, ready())))).not.toEqual(expect.arrayContaining(["hostIP"]));
  });
});

describe("a pod that ends for a cause", () => {
  test.each([
    {
      name: "evicted",
      cause: { kind: "evicted", by: "eviction", reason: "Evicted", message: "no memory" } as const,
      words: { phase: "Failed", reason: "Evicted", message: "no memory" },
    },
    {
      name: "refused when it was taken over",
      cause: { kind: "rejected", reason: "OutOfcpu", message: "too little" } as const,
      words: { phase: "Failed", reason: "OutOfcpu", message: "Pod was rejected: too little" },
    },
    {
      name: "beyond its deadline",
      cause: { kind: "deadline" } as const,
      words: { phase: "Failed", reason: "DeadlineExceeded", message: deadlineMessage },
    },
  ])("is reported while it is stopped and for good: $name", ({ cause, words }) => {
    const ending = after(aPod(), ADMITTED, ready(), running(), terminate(cause));
    expect(statusOf(ending)).toMatchObject(words);
    expect(statusOf(next(next(ending, exited(0)), { type: "stopped" }))).toMatchObject(words);
  });

  test("by itself, or because it was deleted, has no reason", () => {
    const up = [ADMITTED, ready(), running()];
    for (const kind of ["deleted", "completed"] as const) {
      const status = statusOf(after(aPod({ restartPolicy: "Never" }), ...up, exited(0), terminate({ kind })));
      expect([status.phase, status.reason, status.message]).toEqual(["Succeeded", undefined, undefined]);
    }
  });

  test("the deadline's words are the kubelet's", () => {
    expect(deadlineMessage).toBe("Pod was active on the node longer than the specified deadline");
  });

  test("an eviction's condition has the last word on its type", () => {
    const said: PodEvent = {
      type: "conditionSet",
      condition: "DisruptionTarget",
      state: { status: "False", reason: "Calm" },
    };
    const other: PodEvent = { type: "conditionSet", condition: "example.com/x", state: { status: "True" } };
    const condition = { type: "DisruptionTarget", reason: "TerminationByKubelet", message: "no memory" } as const;
    const cause: TerminationCause = { kind: "evicted", by: "e", reason: "Evicted", message: "m", condition };
    const status = statusOf(after(aPod(), ADMITTED, said, other, terminate(cause)));
    const targets = status.conditions?.filter(({ type }) => type === "DisruptionTarget");
    expect(targets).toMatchObject([{ ...condition, status: "True" }]);
    expect(status.conditions?.map(({ type }) => type)).toContain("example.com/x");
    const before = statusOf(after(aPod(), ADMITTED, said, other));
    expect(before.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({ status: "False" });
  });

  test("another cause sets no such condition", () => {
    const status = statusOf(after(aPod(), ADMITTED, terminate({ kind: "deleted" })));
    expect(status.conditions?.map(({ type }) => type)).not.toContain("DisruptionTarget");
  });
});

describe("a pod that is refused", () => {
  test("is Failed with the reason, without container statuses", () => {
    const refused = after(aPod(), { type: "rejected", reason: "OutOfcpu", message: "too little", at: 0 });
    expect(statusOf(refused)).toEqual({
      phase: "Failed",
      reason: "OutOfcpu",
      message: "Pod was rejected: too little",
      startTime: "2026-11-22T10:00:00Z",
      qosClass: "BestEffort",
    });
  });

  test("is postponed has only the reason for waiting", () => {
    const waits: PodEvent = { type: "postponed", reason: "WaitingForDevices", message: "gpu", notBefore: 5 };
    const status = statusOf(after(aPod(), waits));
    expect([status.phase, status.reason, status.message]).toEqual(["Pending", "WaitingForDevices", "gpu"]);
    expect(statusOf(after(aPod()))).not.toHaveProperty("reason");
    expect(statusOf(after(aPod(), waits, ADMITTED))).not.toHaveProperty("reason");
  });
});

describe("the phase", () => {
  test("Succeeded and Failed are for good", () => {
    const up = after(aPod(), ADMITTED, ready(), running());
    for (const phase of ["Succeeded", "Failed"] as const) {
      expect(statusOf(up, { ...statusOf(up), phase }).phase).toBe(phase);
    }
    expect(statusOf(up, { ...statusOf(up), phase: "Pending" }).phase).toBe("Running");
  });

  test("a container that was killed to be started again and ended with 0 does not make a success of its pod", () => {
    const pod = aPod({ restartPolicy: "OnFailure" });
    const kill: PodEvent = { type: "killRequested", container: "main", message: "liveness" };
    const up = [ADMITTED, ready(), running()];
    expect(statusOf(after(pod, ...up, kill, exited(0))).phase).toBe("Running");
    expect(statusOf(after(pod, ...up, exited(0))).phase).toBe("Succeeded");
  });
});

describe("conditions", () => {
  test("keep the time of their last change", () => {
    const up = after(aPod(), ADMITTED, ready());
    const first = statusOf(up);
    const later = statusOf(next(up, running()), first, WALL + 5_000);
    const times = Object.fromEntries(later.conditions?.map((one) => [one.type, one.lastTransitionTime]) ?? []);
    expect(times.PodScheduled).toBe("2026-11-22T10:01:00Z");
    expect(times.ContainersReady).toBe("2026-11-22T10:01:05Z");
    expect(later.conditions?.every(({ lastProbeTime }) => lastProbeTime === null)).toBe(true);
  });

  test("a sandbox counts while the pod has not ended", () => {
    const readyToStart = (state: PodState): string | undefined =>
      statusOf(state).conditions?.find(({ type }) => type === "PodReadyToStartContainers")?.status;
    const up = after(aPod(), ADMITTED, ready());
    expect(readyToStart(up)).toBe("True");
    expect(readyToStart(after(aPod(), ADMITTED))).toBe("False");
    expect(readyToStart([terminate({ kind: "deleted" }), { type: "stopped" } as const].reduce(next, up))).toBe("False");
  });
});

describe("containers of every kind", () => {
  test("are separate lists; an empty list is left out", () => {
    const pod = aPod({ initContainers: [aContainer("init")] });
    const plain = statusOf(after(aPod(), ADMITTED));
    expect(plain).not.toHaveProperty("initContainerStatuses");
    expect(plain).not.toHaveProperty("ephemeralContainerStatuses");
    expect(statusOf(after(pod, ADMITTED)).initContainerStatuses).toMatchObject([{ name: "init" }]);
  });

  test("an ephemeral one is neither ready nor started, and has no resources", () => {
    const resources = { requests: { cpu: "1" } };
    const debug = { ...aContainer("debug"), resources, image: "host" };
    const pod = aPod({ ephemeralContainers: [debug] } as never);
    const status = statusOf(after(pod, ADMITTED, ready(), running(), running("debug")));
    const [own] = status.ephemeralContainerStatuses ?? [];
    expect(own).toMatchObject({ name: "debug", ready: false });
    for (const key of ["started", "resources", "allocatedResources"]) expect(own).not.toHaveProperty(key);
    expect(status.phase).toBe("Running");
  });

  test("containers that never ran in an ended pod are reported as lost, not before", () => {
    const two = aPod({ restartPolicy: "Never", containers: [aContainer("main"), aContainer("never")] });
    const ending = after(two, ADMITTED, ready(), running(), exited(0), terminate({ kind: "deleted" }));
    expect(statusOf(ending).containerStatuses?.[1]?.state).toHaveProperty("waiting");
    const [, never] = statusOf(next(ending, { type: "stopped" })).containerStatuses ?? [];
    expect(never?.state?.terminated?.reason).toBe("ContainerStatusUnknown");
  });
});

describe("a pod that is being removed", () => {
  test("shows by when it is gone, and how long it has", () => {
    const asked = after(aPod(), ADMITTED, terminate({ kind: "deleted" }, { gracePeriodSeconds: 5 }));
    const { metadata, status } = withStatus(asked, statusOf(asked));
    expect(metadata).toMatchObject({ deletionTimestamp: "2026-11-22T10:01:05Z", deletionGracePeriodSeconds: 5 });
    expect(status?.phase).toBe("Pending");
  });

  test("one that only ends shows nothing of that", () => {
    const state = after(aPod(), ADMITTED, terminate({ kind: "completed" }));
    expect(withStatus(state, statusOf(state)).metadata).toEqual(state.pod.metadata);
  });
});
