import { describe, expect, test } from "@jest/globals";
import { next } from "../../../src/pod/next.js";
import { initDone } from "../../../src/pod/next-container.js";
import { type ContainerState, type Exit, initialState, type PodEvent, type PodState } from "../../../src/pod/state.js";
import { aContainer, aPod } from "../../pod/pods.js";

const READY: PodEvent = { type: "sandboxReady", id: "s0", attempt: 0, ips: [], at: 0 };
const UP: readonly PodEvent[] = [{ type: "admitted" }, READY];

const after = (pod: ReturnType<typeof aPod>, ...events: readonly PodEvent[]): PodState =>
  events.reduce(next, initialState(pod, 0, 0));
const main = (...events: readonly PodEvent[]): ContainerState | undefined =>
  after(aPod(), ...UP, ...events).containers.main;

const starting = (now = 0, container = "main"): PodEvent => ({ type: "starting", container, now });
const running = (attempt = 0, container = "main", id = `${container}-${attempt}`): PodEvent => ({
  type: "observed",
  container,
  observation: { kind: "running", id, attempt, startedAt: 5, imageRef: "image" },
});
const exitOf = (attempt = 0, exitCode = 1, more: Partial<Exit> = {}): Exit => ({
  id: `main-${attempt}`,
  attempt,
  exitCode,
  reason: "Error",
  message: "",
  startedAt: 5,
  finishedAt: 10,
  seen: 10,
  imageRef: "image",
  ...more,
});
const exited = (exit = exitOf(), container = "main"): PodEvent => ({
  type: "observed",
  container,
  observation: { kind: "exited", exit },
});
const lost = (id: string): PodEvent => ({
  type: "observed",
  container: "main",
  observation: { kind: "lost", id, now: 700, wall: 900 },
});

describe("a container that its runtime has lost", () => {
  test("ended with 137 in the kubelet's words, at the moment at which it was missed", () => {
    expect(main(starting(), running(), lost("main-0"))).toEqual({
      kind: "exited",
      exit: {
        id: "main-0",
        attempt: 0,
        exitCode: 137,
        reason: "ContainerStatusUnknown",
        message: "The container could not be located when the pod was terminated",
        startedAt: 5,
        finishedAt: 900,
        seen: 700,
        imageRef: "image",
      },
    });
  });

  test("keeps what came before it", () => {
    const state = main(starting(), running(), exited(), starting(20), running(1), lost("main-1"));
    expect(state).toMatchObject({
      kind: "exited",
      exit: { attempt: 1, exitCode: 137 },
      last: { attempt: 0, exitCode: 1 },
    });
  });

  test("is the named one: another one keeps running", () => {
    expect(main(starting(), running(), lost("main-7"))?.kind).toBe("running");
  });

  test("that has ended keeps its end", () => {
    expect(main(starting(), running(), exited(), lost("main-0"))).toMatchObject({ exit: { exitCode: 1 } });
  });
});

describe("what is observed", () => {
  test("a running container is the attempt with its id, start and image", () => {
    expect(main(starting(), running())).toEqual({
      kind: "running",
      attempt: 0,
      id: "main-0",
      startedAt: 5,
      imageRef: "image",
    });
  });

  test("of an earlier attempt changes nothing", () => {
    const now = [starting(), running(), exited(), starting(20), running(1)];
    expect(main(...now, exited(exitOf(0, 9)))).toEqual(main(...now));
    expect(main(...now, running(0))).toEqual(main(...now));
  });

  test("of an attempt that has ended, and was reported, changes nothing", () => {
    const ended = [starting(), running(), exited()];
    expect(main(...ended, exited(exitOf(0, 9)))).toEqual(main(...ended));
    expect(main(...ended, running())).toEqual(main(...ended));
  });

  test("again of the same running container is the same state", () => {
    const state = after(aPod(), ...UP, starting(), running());
    expect(next(state, running())).toBe(state);
    expect(next(state, running(0, "main", "other")).containers.main).toMatchObject({ id: "other" });
  });

  test("of a container that the pod does not have changes nothing", () => {
    const state = after(aPod(), ...UP);
    expect(next(state, running(0, "nobody"))).toBe(state);
  });

  test("the end of an attempt becomes the last one of the next", () => {
    expect(main(starting(), running(), exited(), starting(20), running(1))).toMatchObject({ last: { attempt: 0 } });
    expect(main(starting(), running(), exited(), starting(20), running(1), exited(exitOf(1)))).toMatchObject({
      exit: { attempt: 1 },
      last: { attempt: 0 },
    });
  });

  test("an end without a sandbox of the pod belongs to one that is gone", () => {
    const gone = after(aPod(), { type: "admitted" }, exited());
    expect(gone.containers.main).toMatchObject({ exit: { stale: true } });
    expect(main(exited())).not.toHaveProperty("exit.stale");
    expect(after(aPod(), { type: "admitted" }, running()).containers.main).toMatchObject({ kind: "running" });
  });
});

describe("a start", () => {
  test("that follows an end is the next attempt, and shows that end until it runs", () => {
    expect(main(starting(), running(), exited(), starting(20))).toEqual({
      kind: "starting",
      attempt: 1,
      last: exitOf(),
      after: {},
    });
  });

  test("after a back-off has the back-off's length in milliseconds", () => {
    const first = [starting(), running(), exited(exitOf(0, 1, { seen: 10 })), starting(10), running(1)];
    const second = [...first, exited(exitOf(1, 1, { seen: 20 })), starting(10_020)];
    expect(main(...second)).toMatchObject({ attempt: 2, after: { last: { attempt: 0 }, window: 10_000 } });
  });

  test("every start but the first moves the back-off on", () => {
    const first = after(aPod(), ...UP, starting(), running());
    expect(first.backOffs).toEqual({});
    const second = [exited(), starting(20)].reduce(next, first);
    expect(second.backOffs).toEqual({ main: { window: 10_000, startedAt: 20 } });
    const third = [running(1), exited(exitOf(1, 1, { seen: 30 })), starting(10_030)].reduce(next, second);
    expect(third.backOffs).toEqual({ main: { window: 20_000, startedAt: 10_030 } });
  });

  test("removes the overrides of the attempt before, of this container alone", () => {
    const two = aPod({ containers: [aContainer("main"), aContainer("other")] });
    const gate = (container: string): PodEvent => ({ type: "gate", container, gate: { ready: false } });
    const state = after(two, ...UP, gate("main"), gate("other"), starting());
    expect(state.gates).toEqual({ other: { ready: false } });
  });

  test("of what runs is no start", () => {
    expect(main(starting(), running(), starting(9))?.kind).toBe("running");
  });

  test("that failed waits with reason, message and the time of the next try, and counts", () => {
    const failed: PodEvent = {
      type: "startFailed",
      container: "main",
      reason: "ErrImagePull",
      message: "no",
      notBefore: 9,
    };
    const waits = { kind: "waiting", attempt: 0, reason: "ErrImagePull", message: "no", notBefore: 9, failures: 1 };
    expect(main(starting(), failed)).toEqual(waits);
    expect(main(starting(), failed, starting())).toEqual({
      kind: "starting",
      attempt: 0,
      was: { reason: "ErrImagePull", message: "no" },
      failures: 1,
    });
    expect(main(starting(), failed, starting(), failed)).toEqual({ ...waits, failures: 2 });
    expect(main(failed)).toMatchObject({ kind: "waiting", reason: "ContainerCreating" });
    expect(main(starting(), running(), failed)?.kind).toBe("running");
  });

  test("that failed after an end keeps that end", () => {
    const failed: PodEvent = { type: "startFailed", container: "main", reason: "x", message: "", notBefore: 9 };
    expect(main(starting(), running(), exited(), starting(20), failed)).toMatchObject({
      attempt: 1,
      last: { attempt: 0 },
    });
    expect(main(starting(), running(), exited(), starting(20), failed, starting(30))).toMatchObject({
      kind: "starting",
      last: { attempt: 0 },
    });
  });
});

describe("a postStart hook", () => {
  const hooked = aPod({
    containers: [aContainer("other"), aContainer("main", { lifecycle: { postStart: { exec: { command: ["a"] } } } })],
  });
  const ended: PodEvent = { type: "postStartEnded", container: "main" };

  test("until it has ended its container shows as while it was started", () => {
    const state = after(hooked, ...UP, starting(), running());
    expect(state.containers.main).toMatchObject({ kind: "running", shownAs: { kind: "starting", attempt: 0 } });
    expect(next(state, ended).containers.main).not.toHaveProperty("shownAs");
  });

  test("a container without one, or that was found running, shows as it is", () => {
    const other = after(hooked, ...UP, starting(0, "other"), running(0, "other"));
    expect(other.containers.other).not.toHaveProperty("shownAs");
    expect(after(hooked, ...UP, running()).containers.main).not.toHaveProperty("shownAs");
    expect(after(hooked, ...UP, starting(), exited()).containers.main).not.toHaveProperty("shownAs");
  });

  test("its end is of no account once the container has ended", () => {
    const state = after(hooked, ...UP, starting(), running(), exited());
    expect(next(state, ended)).toBe(state);
  });
});

describe("a request to kill", () => {
  const kill = (more: object = {}): PodEvent => ({ type: "killRequested", container: "main", message: "why", ...more });

  test("is remembered with its grace period, and the first one counts", () => {
    expect(main(starting(), running(), kill())).toMatchObject({ kill: { message: "why" } });
    expect(main(starting(), running(), kill())).not.toHaveProperty("kill.gracePeriodSeconds");
    const asked = kill({ gracePeriodSeconds: 3 });
    expect(main(starting(), running(), asked, kill({ message: "later" }))).toMatchObject({
      kill: { message: "why", gracePeriodSeconds: 3 },
    });
  });

  test("by id is for that container alone", () => {
    expect(main(starting(), running(), kill({ id: "main-0" }))).toHaveProperty("kill");
    expect(main(starting(), running(), kill({ id: "main-1" }))).not.toHaveProperty("kill");
  });

  test("of what does not run does nothing", () => {
    expect(main(starting(), kill())?.kind).toBe("starting");
  });

  test("shows in the end that follows: it did not end by itself", () => {
    expect(main(starting(), running(), kill(), exited())).toMatchObject({ killed: true });
    expect(main(starting(), running(), exited())).not.toHaveProperty("killed");
  });
});

describe("a failure of a hook", () => {
  const failed: PodEvent = { type: "failed", container: "main", reason: "PostStartHookError", message: "no" };
  const failure = { reason: "PostStartHookError", message: "no" };

  test("is reported for running containers, in the end that follows, and for ended ones", () => {
    expect(main(starting(), running(), failed)).toMatchObject({ kind: "running", failure });
    expect(main(starting(), running(), failed, exited())).toMatchObject({ kind: "exited", failure });
    expect(main(starting(), running(), exited(), failed)).toMatchObject({ kind: "exited", failure });
    expect(main(starting(), running(), exited())).not.toHaveProperty("failure");
  });

  test("of what has not started does nothing", () => {
    expect(main(starting(), failed)).toEqual(main(starting()));
  });
});

describe("the overrides of a container", () => {
  const gate = (said: object, container = "main"): PodEvent => ({ type: "gate", container, gate: said });

  test("is put together, and the same again is no change", () => {
    const state = after(aPod(), ...UP, gate({ ready: true }), gate({ started: true }));
    expect(state.gates).toEqual({ main: { ready: true, started: true } });
    expect(next(state, gate({ ready: true }))).toBe(state);
    expect(next(state, gate({ started: true }))).toBe(state);
    expect(next(state, gate({ ready: false })).gates.main).toEqual({ ready: false, started: true });
    expect(next(state, gate({ started: false })).gates.main).toEqual({ ready: true, started: false });
  });

  test("a back-off that an earlier life knew counts", () => {
    const backOff = { window: 40_000, startedAt: 7 };
    const known: PodEvent = { type: "backOffKnown", container: "main", backOff };
    expect(after(aPod(), ...UP, known).backOffs).toEqual({ main: backOff });
  });
});

describe("the work of init containers", () => {
  const withInit = aPod({ initContainers: [aContainer("init")] });
  const withSidecar = aPod({ initContainers: [aContainer("proxy", { restartPolicy: "Always" })] });
  const initExit = (exitCode: number, more: Partial<Exit> = {}): PodEvent =>
    exited(exitOf(0, exitCode, { id: "init-0", ...more }), "init");
  const [init, proxy] = [withInit, withSidecar].map(({ spec }) => spec.initContainers?.[0]);

  test.each([
    { name: "has not begun", events: [], done: false },
    { name: "runs", events: [starting(0, "init"), running(0, "init")], done: false },
    { name: "failed", events: [initExit(1)], done: false },
    { name: "ended with 0", events: [initExit(0)], done: true },
    { name: "ended with 0 in a sandbox that is gone", events: [initExit(0, { stale: true })], done: false },
  ])("one that $name: done is $done", ({ events, done }) => {
    const state = after(withInit, ...UP, ...events);
    expect(init && initDone(state, init)).toBe(done);
    expect(state.initialized).toBe(done);
  });

  test("a sidecar's is done while it runs and has started", () => {
    const up = after(withSidecar, ...UP, starting(0, "proxy"), running(0, "proxy"));
    expect(proxy && initDone(up, proxy)).toBe(true);
    const held = next(up, { type: "gate", container: "proxy", gate: { started: false } });
    expect(proxy && initDone(held, proxy)).toBe(false);
    const ended = next(up, exited(exitOf(0, 0, { id: "proxy-0" }), "proxy"));
    expect(proxy && initDone(ended, proxy)).toBe(false);
  });

  test("is done once a main container runs or ended here, whatever is left of them", () => {
    expect(after(withInit, ...UP, running()).initialized).toBe(true);
    expect(after(withInit, ...UP, exited()).initialized).toBe(true);
    expect(after(withInit, ...UP, exited(exitOf(0, 0, { stale: true }))).initialized).toBe(false);
    expect(after(withInit, ...UP, starting()).initialized).toBe(false);
  });

  test("stays done", () => {
    const state = after(withInit, ...UP, running(), starting(0, "init"));
    expect(state.initialized).toBe(true);
  });

  test("a container that the pod does not have is not done", () => {
    expect(initDone(after(withInit, ...UP), aContainer("nobody"))).toBe(false);
  });
});
