import type { Container, Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { next } from "../../../../src/pod/next.js";
import { policyOf } from "../../../../src/pod/restart.js";
import { type Exit, initialState, type PodEvent, type PodState } from "../../../../src/pod/state.js";
import {
  containerReady,
  containerStatus,
  crashLoopMessage,
  withResourceStatus,
} from "../../../../src/pod/status/container-status.js";
import { withLostInit, withLostMain } from "../../../../src/pod/status/pod-status.js";
import type { ContainerStatus } from "../../../../src/pod/status/status-types.js";
import { aContainer, aPod } from "../../../pod/pods.js";

const START = Date.parse("2026-11-22T10:00:00Z");
const UP: readonly PodEvent[] = [{ type: "admitted" }, { type: "sandboxReady", id: "s", attempt: 0, ips: [], at: 0 }];
const after = (pod: Pod, ...events: readonly PodEvent[]): PodState => events.reduce(next, initialState(pod, START, 0));
const starting = (now = 0, container = "main"): PodEvent => ({ type: "starting", container, now });
const running = (attempt = 0, container = "main"): PodEvent => ({
  type: "observed",
  container,
  observation: { kind: "running", id: `${container}-${attempt}`, attempt, startedAt: START, imageRef: "sha256:1" },
});
const exited = (attempt = 0, exitCode = 1, more: Partial<Exit> = {}, container = "main"): PodEvent => ({
  type: "observed",
  container,
  observation: {
    kind: "exited",
    exit: {
      id: `${container}-${attempt}`,
      attempt,
      exitCode,
      reason: "Error",
      message: "",
      startedAt: START,
      finishedAt: START + 1_000,
      seen: 1_000,
      imageRef: "sha256:2",
      ...more,
    },
  },
});
const statusOf = (state: PodState, now = 1_000, name = "main"): ContainerStatus => {
  const { containers, initContainers = [], ephemeralContainers = [] } = state.pod.spec;
  const all = [...initContainers, ...containers, ...ephemeralContainers] as readonly Container[];
  const container = all.find((one) => one.name === name) as Container;
  return containerStatus(state, container, { idPrefix: "test", now });
};
const main = (...events: readonly PodEvent[]): ContainerStatus => statusOf(after(aPod(), ...UP, ...events));
const terminated = (attempt: number, exitCode = 1) => ({
  terminated: {
    exitCode,
    reason: "Error",
    startedAt: "2026-11-22T10:00:00Z",
    finishedAt: "2026-11-22T10:00:01Z",
    containerID: `test://main-${attempt}`,
  },
});
const failed: PodEvent = {
  type: "startFailed",
  container: "main",
  reason: "ErrImagePull",
  message: "no",
  notBefore: 9,
};
const CRASHED = "back-off 10s restarting failed container=main pod=web-node1_default(0123456789abcdef0123456789abcdef)";

describe("a container that", () => {
  test("is to come waits, and has no id", () => {
    expect(main()).toEqual({
      name: "main",
      state: { waiting: { reason: "ContainerCreating" } },
      lastState: {},
      ready: false,
      restartCount: 0,
      image: "host",
      imageID: "",
      started: false,
    });
  });

  test("runs is ready and started unless a plugin overrides it", () => {
    expect(main(starting(), running())).toEqual({
      name: "main",
      state: { running: { startedAt: "2026-11-22T10:00:00Z" } },
      lastState: {},
      ready: true,
      restartCount: 0,
      image: "host",
      imageID: "sha256:1",
      containerID: "test://main-0",
      started: true,
      resources: {},
    });
    const gate = (said: object): PodEvent => ({ type: "gate", container: "main", gate: said });
    expect(main(running(), gate({ ready: false }))).toMatchObject({ ready: false, started: true });
    expect(main(running(), gate({ started: false }))).toMatchObject({ ready: false, started: false });
  });

  test("runs in a pod that is being taken over is held until its plugins have reported", () => {
    const taken = after(aPod(), UP[1] as PodEvent, running());
    expect(statusOf(taken)).toMatchObject({ ready: false, started: false });
    const said = next(taken, { type: "gate", container: "main", gate: { ready: true } });
    expect(statusOf(said)).toMatchObject({ ready: true, started: true });
  });

  test("has no image id has an empty one", () => {
    const pod = aPod({ containers: [{ name: "main" }] });
    expect(statusOf(after(pod, ...UP)).image).toBe("");
  });

  test("is being started shows what it waited with", () => {
    expect(main(starting()).state).toEqual({ waiting: { reason: "ContainerCreating" } });
    expect(main(starting(), failed).state).toEqual({ waiting: { reason: "ErrImagePull", message: "no" } });
    expect(main(starting(), failed, starting()).state).toEqual({ waiting: { reason: "ErrImagePull", message: "no" } });
    const after = main(running(), exited(), starting(2_000), failed);
    expect([after.lastState, after.restartCount, after.containerID, after.imageID]).toEqual([
      terminated(0),
      0,
      "test://main-0",
      "sha256:2",
    ]);
    expect(main(running(), exited(), starting(2_000), failed, starting()).lastState).toEqual(terminated(0));
  });

  test("waits for init containers has that reason", () => {
    const pod = aPod({ initContainers: [aContainer("init")] });
    expect(statusOf(after(pod, ...UP)).state).toEqual({ waiting: { reason: "PodInitializing" } });
    expect(statusOf(after(pod, ...UP, starting())).state).toEqual({ waiting: { reason: "PodInitializing" } });
  });

  test("has ended has its exit, and its termination message if it left one", () => {
    const status = main(starting(), running(), exited());
    expect(status).toMatchObject({
      state: terminated(0),
      lastState: {},
      ready: false,
      started: false,
      restartCount: 0,
    });
    expect(status).toMatchObject({ containerID: "test://main-0", imageID: "sha256:2" });
    expect(status.state?.terminated).not.toHaveProperty("message");
    expect(main(exited(0, 1, { message: "bad" })).state?.terminated?.message).toBe("bad");
  });

  test("has run before keeps that end as its last state, and counts", () => {
    const again = [starting(), running(), exited(), starting(2_000), running(1)];
    expect(main(...again)).toMatchObject({ restartCount: 1, lastState: terminated(0) });
    const done = after(aPod({ restartPolicy: "OnFailure" }), ...UP, ...again, exited(1, 0));
    expect(statusOf(done)).toMatchObject({ restartCount: 1, state: terminated(1, 0), lastState: terminated(0) });
  });

  test("crashes waits for its back-off; then, and when it failed to start, it has that reason", () => {
    const twice = [starting(), running(), exited(), starting(1_000), running(1), exited(1)];
    const state = after(aPod(), ...UP, ...twice);
    const held = statusOf(state, 10_999);
    expect(held.state).toEqual({ waiting: { reason: "CrashLoopBackOff", message: CRASHED } });
    expect([held.lastState, held.restartCount]).toEqual([terminated(1), 1]);
    expect(statusOf(state, 11_000).state).toEqual(terminated(1));
    const hook: PodEvent = { type: "failed", container: "main", reason: "PostStartHookError", message: "no" };
    expect(main(starting(), running(), hook, exited()).state).toEqual({
      waiting: { reason: "PostStartHookError", message: "no" },
    });
  });

  test("is started again shows as before until it runs: ended at once, or in its back-off", () => {
    const first = main(starting(), running(), exited(), starting(1_000));
    expect([first.state, first.lastState]).toEqual([terminated(0), {}]);
    const twice = [starting(), running(), exited(), starting(1_000), running(1), exited(1), starting(11_000)];
    const second = main(...twice);
    expect(second.state).toEqual({ waiting: { reason: "CrashLoopBackOff", message: CRASHED } });
    expect(second.lastState).toEqual(terminated(1));
    const late = [starting(), running(), exited(), starting(1_000), running(1)];
    const long = [...late, exited(1, 1, { seen: 700_000 }), starting(700_000)];
    expect([main(...long).state, main(...long).lastState]).toEqual([terminated(1), terminated(0)]);
  });

  test("will not be started again shows its end, with any back-off", () => {
    const twice = [starting(), running(), exited(), starting(1_000), running(1), exited(1, 0)];
    expect(statusOf(after(aPod({ restartPolicy: "OnFailure" }), ...UP, ...twice)).state).toEqual(terminated(1, 0));
    const ends: PodEvent = { type: "terminate", cause: { kind: "deleted" }, at: 0 };
    expect(statusOf(after(aPod(), ...UP, ...twice, ends)).state).toEqual(terminated(1, 0));
  });

  test("runs its postStart shows as while it was started", () => {
    const lifecycle = { postStart: { exec: { command: ["x"] } } };
    const pod = aPod({ containers: [aContainer("main", { lifecycle })] });
    expect(statusOf(after(pod, ...UP, starting(), running())).state).toEqual({
      waiting: { reason: "ContainerCreating" },
    });
  });

  test("has mounts lists them", () => {
    const volumeMounts = [
      { name: "a", mountPath: "/a" },
      { name: "b", mountPath: "/b", readOnly: true },
    ];
    const pod = aPod({ containers: [aContainer("main", { volumeMounts })] });
    expect(statusOf(after(pod, ...UP)).volumeMounts).toEqual([
      { name: "a", mountPath: "/a" },
      { name: "b", mountPath: "/b", readOnly: true, recursiveReadOnly: "Disabled" },
    ]);
    const recursive = volumeMounts.map((mount) => ({ ...mount, recursiveReadOnly: "Enabled" }));
    const asked = after(aPod({ containers: [aContainer("main", { volumeMounts: recursive })] }), ...UP);
    const modes = (can: boolean) =>
      containerStatus(asked, asked.pod.spec.containers[0] as Container, {
        idPrefix: "test",
        now: 1_000,
        recursiveReadOnly: can,
      }).volumeMounts?.map(({ recursiveReadOnly }) => recursiveReadOnly);
    expect([modes(true), modes(false)]).toEqual([
      [undefined, "Enabled"],
      [undefined, "Disabled"],
    ]);
    const none = aPod({ containers: [aContainer("main", { volumeMounts: [] })] });
    expect(statusOf(after(none, ...UP))).not.toHaveProperty("volumeMounts");
  });

  test("exists has its resources, as they are applied where a plugin reports them", () => {
    const resources = { requests: { cpu: "1" }, limits: { cpu: "2" } };
    const pod = aPod({ containers: [aContainer("main", { resources })] });
    expect(statusOf(after(pod, ...UP))).not.toHaveProperty("resources");
    expect(statusOf(after(pod, ...UP, running()))).toMatchObject({ allocatedResources: { cpu: "1" }, resources });
    const applied: PodEvent = { type: "resourcesApplied", container: "main", resources: { limits: { cpu: "3" } } };
    const status = statusOf(after(pod, ...UP, running(), applied));
    expect(status.resources).toEqual({ limits: { cpu: "3" } });
    expect(status).not.toHaveProperty("allocatedResources");
  });

  test("has devices has their health, merged from all plugins", () => {
    const gpu = { name: "gpu", resources: [{ resourceID: "1", health: "Healthy" }] };
    const nic = { name: "nic", resources: [] };
    const says = (plugin: string, ...status: (typeof gpu)[]): PodEvent =>
      ({ type: "resourcesAllocated", container: "main", plugin, status }) as never;
    expect(main(says("a", gpu), says("b", nic as never)).allocatedResourcesStatus).toEqual([gpu, nic]);
    expect(main()).not.toHaveProperty("allocatedResourcesStatus");
  });
});

test("the entry of one plugin for a resource is replaced in place; others follow", () => {
  const say = (name: string, by: string) => ({ name, by });
  expect(withResourceStatus([say("a", "1"), say("b", "1")], [say("c", "2"), say("b", "2")])).toEqual([
    say("a", "1"),
    say("b", "2"),
    say("c", "2"),
  ]);
});

describe("ready", () => {
  const facts = { plainInit: false, exitCode: undefined, started: true, gate: true };
  test.each([
    { name: "an init container that succeeded", given: { ...facts, plainInit: true, exitCode: 0 }, ready: true },
    { name: "an init container that failed", given: { ...facts, plainInit: true, exitCode: 1 }, ready: false },
    { name: "an init container that runs", given: { ...facts, plainInit: true }, ready: false },
    { name: "any other that has started", given: facts, ready: true },
    { name: "one that has not", given: { ...facts, started: false }, ready: false },
    { name: "one that is held", given: { ...facts, gate: false }, ready: false },
  ])("$name: $ready", ({ given, ready }) => expect(containerReady(given)).toBe(ready));

  test("an init container that succeeded is so in its status; a sidecar as any other", () => {
    const proxy = aContainer("proxy", { restartPolicy: "Always" });
    const pod = aPod({ initContainers: [aContainer("init"), proxy] });
    expect(statusOf(after(pod, ...UP, exited(0, 0, {}, "init")), 0, "init").ready).toBe(true);
    expect(statusOf(after(pod, ...UP, running(0, "init")), 0, "init").ready).toBe(false);
    expect(statusOf(after(pod, ...UP, running(0, "proxy")), 0, "proxy").ready).toBe(true);
  });
});

test("each kind of container has its own policy of restarts", () => {
  const debug = aContainer("debug");
  const pod = aPod({
    initContainers: [aContainer("init"), aContainer("proxy", { restartPolicy: "Always" })],
    ephemeralContainers: [debug] as never,
  });
  const policies = (restartPolicy: string): readonly string[] => {
    const state = after({ ...pod, spec: { ...pod.spec, restartPolicy } });
    const { initContainers = [], containers } = state.pod.spec;
    return [...initContainers, ...containers, debug].map((one) => policyOf(state, one as Container));
  };
  expect(policies("Always")).toEqual(["OnFailure", "Always", "Always", "Never"]);
  expect(policies("OnFailure")).toEqual(["OnFailure", "Always", "OnFailure", "Never"]);
  expect(policies("Never")).toEqual(["Never", "Always", "Never", "Never"]);
});

test("a crash loop without a back-off is reported with none", () => {
  expect(crashLoopMessage(after(aPod()), "main")).toContain("back-off 0s restarting");
});

describe("in a pod that has ended", () => {
  type State = NonNullable<ContainerStatus["state"]>;
  const as = (name: string, state: State, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
    name,
    state,
    lastState: {},
    ready: false,
    restartCount: 0,
    image: "",
    imageID: "",
    ...more,
  });
  const waits: State = { waiting: { reason: "PodInitializing" } };
  const ran: State = { running: { startedAt: "2026-11-22T10:00:00Z" } };
  const done = (exitCode: number): State => ({ terminated: { exitCode } });
  const LOST = {
    terminated: {
      exitCode: 137,
      reason: "ContainerStatusUnknown",
      message: "The container could not be located when the pod was terminated",
      startedAt: null,
      finishedAt: null,
    },
  };
  const states = (statuses: readonly ContainerStatus[]) => statuses.map(({ state }) => state);
  const withInit = aPod({ initContainers: [aContainer("i")] });
  const withSidecar = aPod({ initContainers: [aContainer("i", { restartPolicy: "Always" })] });

  test("what shows no end is lost; an end stays", () => {
    expect(states(withLostMain(aPod(), [], [as("main", waits)]))).toEqual([LOST]);
    expect(states(withLostMain(aPod(), [], [as("main", ran)]))).toEqual([LOST]);
    expect(states(withLostMain(aPod(), [], [as("main", done(3))]))).toEqual([done(3)]);
  });

  test.each([
    { name: "init containers had not ended", pod: withInit, init: [as("i", ran)], lost: false },
    { name: "the last init container failed", pod: withInit, init: [as("i", done(1))], lost: false },
    { name: "the last init container succeeded", pod: withInit, init: [as("i", done(0))], lost: true },
    { name: "it had succeeded before", pod: withInit, init: [as("i", waits, { lastState: done(0) })], lost: true },
    { name: "the sidecar had started", pod: withSidecar, init: [as("i", ran, { started: true })], lost: true },
    { name: "the sidecar had not started", pod: withSidecar, init: [as("i", ran, { started: false })], lost: false },
    { name: "the sidecar waited", pod: withSidecar, init: [as("i", waits, { started: true })], lost: false },
    {
      name: "a plain init container ran, and had started",
      pod: withInit,
      init: [as("i", ran, { started: true })],
      lost: false,
    },
    { name: "nothing is known of init containers", pod: withInit, init: [], lost: false },
  ])("main containers that never ran, where $name: lost is $lost", ({ pod, init, lost }) => {
    expect(states(withLostMain(pod, init, [as("main", waits)]))).toEqual([lost ? LOST : waits]);
  });

  test("once one main container has started all had begun", () => {
    const main = [as("main", ran), as("other", waits)];
    expect(states(withLostMain(withInit, [as("i", waits)], main))).toEqual([LOST, LOST]);
  });

  test("init containers are lost up to the last that was started, and the first in any case", () => {
    expect(states(withLostInit([as("i", waits), as("j", waits)]))).toEqual([LOST, waits]);
    expect(states(withLostInit([as("i", done(0)), as("j", ran), as("k", waits)]))).toEqual([done(0), LOST, waits]);
    expect(withLostInit([])).toEqual([]);
  });
});
