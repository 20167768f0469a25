import type { Container, Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import type { TerminationCause } from "../../../src/hooks/termination.js";
import { decide } from "../../../src/pod/decide.js";
import { grace, killTimeoutSeconds } from "../../../src/pod/grace.js";
import { next } from "../../../src/pod/next.js";
import { type Exit, initialState, type PodEvent, type PodState } from "../../../src/pod/state.js";
import { aContainer, aPod } from "../../pod/pods.js";

const after = (pod: Pod, ...events: readonly PodEvent[]): PodState => events.reduce(next, initialState(pod, 0, 0));
const ADMITTED: PodEvent = { type: "admitted" };
const sandbox = (id = "s0", attempt = 0, more: object = {}): PodEvent => ({
  type: "sandboxReady",
  id,
  attempt,
  ips: [],
  at: 0,
  ...more,
});
const UP: readonly PodEvent[] = [ADMITTED, sandbox()];
const starting = (container = "main"): PodEvent => ({ type: "starting", container, now: 0 });
const running = (container = "main", attempt = 0): PodEvent => ({
  type: "observed",
  container,
  observation: { kind: "running", id: `${container}-${attempt}`, attempt, startedAt: 0, imageRef: "i" },
});
const exited = (container = "main", more: Partial<Exit> = {}): PodEvent => ({
  type: "observed",
  container,
  observation: {
    kind: "exited",
    exit: {
      id: `${container}-0`,
      attempt: 0,
      exitCode: 0,
      reason: "Completed",
      message: "",
      startedAt: 0,
      finishedAt: 0,
      seen: 0,
      imageRef: "i",
      ...more,
    },
  },
});
const terminate = (cause: TerminationCause, gracePeriodSeconds?: number, at = 5): PodEvent => ({
  type: "terminate",
  cause,
  at,
  ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
});
const DELETED: TerminationCause = { kind: "deleted" };
const EVICTED: TerminationCause = { kind: "evicted", by: "eviction", reason: "Evicted", message: "low on memory" };

describe("the life of a pod", () => {
  const REJECTED: PodEvent = { type: "rejected", reason: "OutOfcpu", message: "too little", at: 7 };
  const STOPPED: PodEvent = { type: "stopped" };
  const REMOVED: PodEvent = { type: "removed" };

  test.each<[string, readonly PodEvent[], object]>([
    ["begins before its admission", [], { kind: "pending" }],
    ["goes on when it is admitted", [ADMITTED], { kind: "active" }],
    [
      "waits where it is postponed",
      [{ type: "postponed", reason: "Waits", message: "gpu", notBefore: 9 }],
      { kind: "pending", postponed: { reason: "Waits", message: "gpu", notBefore: 9 } },
    ],
    [
      "ends before it began where it is refused",
      [REJECTED],
      { kind: "rejected", reason: "OutOfcpu", message: "too little" },
    ],
    ["is over once what was refused is removed", [REJECTED, REMOVED], { kind: "gone" }],
    ["is to end on request", [ADMITTED, terminate(DELETED)], { kind: "terminating", cause: DELETED, since: 5 }],
    [
      "is to end also before its admission",
      [terminate(DELETED)],
      { kind: "terminating", cause: DELETED, since: 5, unadmitted: true },
    ],
    [
      "has ended when all is stopped, by the same cause",
      [ADMITTED, terminate(DELETED), STOPPED],
      { kind: "ended", cause: DELETED },
    ],
    ["is over once it is removed", [ADMITTED, terminate(DELETED), STOPPED, REMOVED], { kind: "gone" }],
    [
      "has one cause, the first",
      [ADMITTED, terminate(EVICTED), terminate(DELETED)],
      { kind: "terminating", cause: EVICTED, since: 5 },
    ],
  ])("%s", (_, events, life) => expect(after(aPod(), ...events).life).toEqual(life));

  test.each<[string, readonly PodEvent[], PodEvent]>([
    ["a pod that runs is not admitted again", [...UP, running()], ADMITTED],
    ["a pod that runs is not refused", UP, REJECTED],
    ["a pod that runs is not postponed", UP, { type: "postponed", reason: "a", message: "b", notBefore: 0 }],
    ["a pod that ends is not admitted", [terminate(DELETED)], ADMITTED],
    ["a container that was not stopped has not ended", UP, STOPPED],
    ["what still runs is not removed", UP, REMOVED],
    ["what is still to be stopped is not removed", [...UP, terminate(DELETED)], REMOVED],
    ["what is gone stays gone", [REJECTED, REMOVED], terminate(DELETED)],
    ["a sandbox that is taken over is prepared once", UP, { type: "sandboxPrepared" }],
    ["a sandbox that is not there needs no preparation", [ADMITTED], { type: "sandboxPrepared" }],
    ["a sandbox that is not there is not stopped", [ADMITTED], { type: "sandboxStopped" }],
    ["the death of another sandbox is none of this one's", UP, { type: "sandboxDead", id: "other", attempt: 0 }],
    ["a condition that is not set is not removed", UP, { type: "conditionSet", condition: "a/b", state: undefined }],
  ])("%s", (_, events, event) => {
    const { removal: _removal, ...before } = after(aPod(), ...events);
    const { removal: __, ...then } = next(before, event);
    expect(then).toEqual(before);
  });

  test("a pod that is refused and still runs, from before a restart, has to be stopped first", () => {
    const cause = { kind: "rejected", reason: "OutOfcpu", message: "too little" };
    expect(after(aPod(), running(), REJECTED).life).toEqual({ kind: "terminating", cause, since: 7 });
    expect(after(aPod(), sandbox(), REJECTED).life).toEqual({ kind: "terminating", cause, since: 7 });
    const two = aPod({ containers: [aContainer("a"), aContainer("b")] });
    expect(after(two, running("b"), REJECTED).life.kind).toBe("terminating");
    expect(after(aPod(), exited(), REJECTED).life.kind).toBe("rejected");
  });

  test.each<[string, readonly PodEvent[], object]>([
    ["is admitted before all else", [], { do: "admit" }],
    [
      "that is postponed waits for its time",
      [{ type: "postponed", reason: "a", message: "b", notBefore: 9 }],
      { do: "wait", until: 9 },
    ],
    [
      "whose time has come is asked for again",
      [{ type: "postponed", reason: "a", message: "b", notBefore: 8 }],
      { do: "admit" },
    ],
    ["that is to end is stopped", [...UP, terminate(DELETED)], { do: "terminate" }],
    ["that was rejected stays as long as it is wanted", [REJECTED], { do: "wait" }],
    ["that was rejected is removed when it is not wanted", [REJECTED, terminate(DELETED)], { do: "remove" }],
    ["that was deleted goes when it has ended", [...UP, terminate(DELETED), STOPPED], { do: "remove" }],
    ["that is gone needs nothing", [REJECTED, REMOVED], { do: "wait" }],
    ["without a deadline waits for what happens", [...UP, running()], { do: "wait" }],
  ])("a pod %s", (_, events, step) => expect(decide(after(aPod(), ...events), 8)).toEqual(step));
});

describe("the end of a pod", () => {
  test.each<[string, readonly PodEvent[], number]>([
    ["has the time that its manifest gives", [terminate(EVICTED)], 20],
    ["has the time that was asked for", [terminate(EVICTED, 3)], 3],
    ["may be shortened while it runs", [terminate(EVICTED, 10), terminate(DELETED, 3)], 3],
    ["may be shortened to nothing", [terminate(EVICTED, 10), terminate(DELETED, 0)], 0],
    ["is never prolonged", [terminate(EVICTED, 10), terminate(DELETED, 11)], 10],
    ["is not prolonged by a request without a time", [terminate(EVICTED, 10), terminate(DELETED)], 10],
    ["may be shortened also where the manifest gave the time", [terminate(DELETED), terminate(DELETED, 4)], 4],
  ])("%s", (_, events, seconds) => {
    const pod = aPod({ terminationGracePeriodSeconds: 20 });
    expect(grace(after(pod, ...UP, ...events))).toBe(seconds);
  });

  test("has 30 s by default", () => {
    const { terminationGracePeriodSeconds: _, ...spec } = aPod().spec;
    expect(grace(after({ ...aPod(), spec }))).toBe(30);
  });

  test("has the time that was asked for with the removal, when the pod had ended before", () => {
    const ended = after(aPod(), ...UP, terminate({ kind: "completed" }), { type: "stopped" }, terminate(DELETED, 2));
    expect(grace(ended)).toBe(2);
  });

  test("is remembered as a removal when the pod is not to come back, with its first time and the shortest grace", () => {
    expect(after(aPod(), ...UP, terminate(EVICTED))).not.toHaveProperty("removal");
    expect(after(aPod(), ...UP, terminate(DELETED, 9)).removal).toEqual({
      cause: DELETED,
      at: 5,
      gracePeriodSeconds: 9,
    });
    const twice = after(aPod(), ...UP, terminate(DELETED, 9), terminate({ kind: "orphaned" }, 2, 6));
    expect(twice.removal).toEqual({ cause: DELETED, at: 5, gracePeriodSeconds: 2 });
    expect(after(aPod(), ...UP, terminate(EVICTED, 9), terminate(DELETED, 20)).removal).toEqual({
      cause: DELETED,
      at: 5,
      gracePeriodSeconds: 20,
    });
  });

  test.each([
    { period: 0, wait: 10 },
    { period: 6, wait: 10 },
    { period: 7, wait: 10 },
    { period: 8, wait: 12 },
    { period: 31, wait: 46 },
  ])("a kill with $period s of grace is waited for $wait s", ({ period, wait }) => {
    expect(killTimeoutSeconds(period)).toBe(wait);
  });
});

describe("a sandbox that is taken over from before a restart", () => {
  const takenOver = sandbox("s0", 3, { takenOver: true });
  const job = (more: object = {}): Pod => aPod({ restartPolicy: "OnFailure", ...more });

  test("is prepared by plugins before anything is started in it, or left as it is", () => {
    expect(decide(after(aPod(), ADMITTED, takenOver), 0)).toEqual({ do: "prepareSandbox", attempt: 3 });
    expect(decide(after(aPod(), ADMITTED, takenOver, running()), 0)).toEqual({ do: "prepareSandbox", attempt: 3 });
  });

  test("is not, where the pod has done its work", () => {
    expect(decide(after(job(), ADMITTED, takenOver, exited()), 0)).toEqual({ do: "complete" });
  });

  test("is a sandbox as any other once it is prepared", () => {
    const state = after(
      aPod(),
      ADMITTED,
      takenOver,
      { type: "syncFailed", message: "no", now: 0 },
      { type: "sandboxPrepared" },
    );
    expect(state.sandbox).toEqual({ kind: "ready", id: "s0", attempt: 3, ips: [], since: 0 });
    expect(state).not.toHaveProperty("syncFailure");
    expect(decide(state, 0)).toEqual({ do: "startContainer", container: "main" });
  });

  test("is prepared again later, when that failed", () => {
    const failed = after(aPod(), ADMITTED, takenOver, { type: "syncFailed", message: "no", now: 0 });
    expect(decide(failed, 499)).toEqual({ do: "wait", until: 500 });
    expect(decide(failed, 500)).toEqual({ do: "prepareSandbox", attempt: 3 });
  });

  test("a sandbox that was created again belongs to no earlier agent", () => {
    expect(after(aPod(), sandbox()).sandbox).toEqual({ kind: "ready", id: "s0", attempt: 0, ips: [], since: 0 });
  });
});

describe("a sandbox that could not be made", () => {
  const failed = (times: number): PodState =>
    Array.from({ length: times }).reduce<PodState>(
      (state) => next(state, { type: "syncFailed", message: `no ${times}`, now: 0 }),
      after(aPod(), ADMITTED),
    );
  test.each([
    { times: 1, wait: 500 },
    { times: 2, wait: 1_000 },
    { times: 8, wait: 64_000 },
    { times: 9, wait: 122_000 },
    { times: 50, wait: 122_000 },
  ])("after $times failures is tried again in $wait ms", ({ times, wait }) => {
    expect(failed(times).syncFailure).toEqual({ message: `no ${times}`, notBefore: wait, count: times });
  });

  test("is forgotten with the agent that could", () => {
    expect(next(failed(3), sandbox())).not.toHaveProperty("syncFailure");
  });
});

describe("a sandbox that died", () => {
  const dead: PodEvent = { type: "sandboxDead", id: "s0", attempt: 0 };

  test("takes its containers along: what ended in it is stale, and init containers run again", () => {
    const pod = aPod({ initContainers: [aContainer("init")] });
    const before = after(pod, ...UP, running("init"), exited("init"), running());
    expect(before.initialized).toBe(true);
    const { sandbox: left, containers, initialized } = next(before, dead);
    expect(left).toEqual({ kind: "dead", id: "s0", attempt: 0 });
    expect(containers.init).toMatchObject({ kind: "exited", exit: { stale: true } });
    expect(containers.main).toMatchObject({ kind: "running" });
    expect(initialized).toBe(false);
    expect(after(aPod(), ...UP, running(), dead).initialized).toBe(true);
  });

  test("the next one has the next number", () => {
    const { sandbox: left } = after(aPod(), ...UP, dead, { type: "sandboxStopped" });
    expect(left).toEqual({ kind: "none", nextAttempt: 1 });
  });

  test("may be one that the agent never saw ready", () => {
    expect(after(aPod(), ADMITTED, { ...dead, id: "leftover", attempt: 4 } as PodEvent).sandbox).toEqual({
      kind: "dead",
      id: "leftover",
      attempt: 4,
    });
  });

  test("a pod that never restarts, and whose container ran in it, is complete; one that had not begun gets another", () => {
    const never = aPod({ restartPolicy: "Never", containers: [aContainer("main"), aContainer("other")] });
    const gone: readonly PodEvent[] = [dead, { type: "sandboxStopped" }];
    expect(decide(after(never, ...UP, running(), exited(), ...gone), 0)).toEqual({ do: "complete" });
    expect(decide(after(never, ...UP, ...gone), 0)).toEqual({ do: "createSandbox", attempt: 1 });
    const always = aPod({ containers: never.spec.containers });
    expect(decide(after(always, ...UP, running(), exited(), ...gone), 0)).toEqual({ do: "createSandbox", attempt: 1 });
  });
});

describe("a changed manifest", () => {
  const debug = { name: "debug", image: "tools" } as Container;
  const withDebug = aPod({ ephemeralContainers: [debug as never] });

  test("brings its ephemeral containers into a pod that runs, which is else as it was", () => {
    const before = after(aPod(), ...UP, running());
    const state = next(before, { type: "updated", pod: withDebug });
    expect(state.pod).toBe(withDebug);
    expect(state.containers).toEqual({
      main: before.containers.main,
      debug: { kind: "waiting", attempt: 0, reason: "ContainerCreating", message: "" },
    });
  });

  test("does not start a known ephemeral container again", () => {
    const state = after(withDebug, ...UP, running("debug"));
    expect(next(state, { type: "updated", pod: { ...withDebug } }).containers.debug).toMatchObject({ kind: "running" });
  });

  test("with another image takes the back-off from that container alone", () => {
    const web = (image: string): Pod => aPod({ containers: [aContainer("a", { image }), aContainer("b")] });
    const backOff = { window: 10_000, startedAt: 0 };
    const known = (container: string): PodEvent => ({ type: "backOffKnown", container, backOff });
    const before = after(web("x:1"), ...UP, known("a"), known("b"));
    expect(next(before, { type: "updated", pod: web("x:2") }).backOffs).toEqual({ b: backOff });
    expect(next(before, { type: "updated", pod: web("x:1") }).backOffs).toEqual({ a: backOff, b: backOff });
  });
});

describe("an ephemeral container", () => {
  const pod = aPod({ ephemeralContainers: ["one", "two"].map((name) => ({ name, image: "tools" })) as never });

  test("starts before all others, in a sandbox that is there", () => {
    expect(decide(after(pod, ADMITTED), 0)).toEqual({ do: "createSandbox", attempt: 0 });
    expect(decide(after(pod, ...UP), 0)).toEqual({ do: "startContainer", container: "one" });
    expect(decide(after(pod, ...UP, running(), running("one")), 0)).toEqual({ do: "startContainer", container: "two" });
  });

  test("runs once, with any policy of the pod and any exit", () => {
    const done = [running("one"), exited("one", { exitCode: 1 }), running("two"), exited("two")];
    expect(decide(after(pod, ...UP, running(), ...done), 0)).toEqual({ do: "wait" });
    expect(decide(after(pod, ...UP, running(), ...done, exited()), 0)).toEqual({
      do: "startContainer",
      container: "main",
    });
  });

  test("that could not be started waits for its time and blocks no other", () => {
    const failed: PodEvent = {
      type: "startFailed",
      container: "one",
      reason: "ErrImagePull",
      message: "no",
      notBefore: 100,
    };
    const state = after(pod, ...UP, starting("one"), failed, running("two"));
    expect(decide(state, 99)).toEqual({ do: "startContainer", container: "main" });
    expect(decide(state, 100)).toEqual({ do: "startContainer", container: "one" });
  });

  test("does not affect whether the pod is done", () => {
    const job = { ...pod, spec: { ...pod.spec, restartPolicy: "OnFailure" } };
    const state = after(job, ...UP, running("one"), running("two"), running(), exited());
    expect(decide(state, 0)).toEqual({ do: "complete" });
  });
});
