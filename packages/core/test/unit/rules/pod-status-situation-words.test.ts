import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import type { TerminationCause } from "../../../src/hooks/termination.js";
import { next } from "../../../src/pod/next.js";
import { type Exit, initialState, type PodEvent, type PodState } from "../../../src/pod/state.js";
import { situation } from "../../../src/pod/status/situation.js";
import { aContainer, aPod } from "../../pod/pods.js";

const WALL = 1_000_000_000;
const moment = { now: 100_000, wall: WALL };

const after = (pod: Pod, ...events: readonly PodEvent[]): PodState =>
  events.reduce(next, initialState(pod, WALL - 90_000, 10_000));
const words = (pod: Pod, ...events: readonly PodEvent[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    situation(after(pod, ...events), moment).map(({ subject, outcome }) => [subject.split("/").at(-1), outcome]),
  );

const ADMITTED: PodEvent = { type: "admitted" };
const UP: readonly PodEvent[] = [ADMITTED, { type: "sandboxReady", id: "s", attempt: 0, ips: [], at: 0 }];
const starting = (now = 0, container = "main"): PodEvent => ({ type: "starting", container, now });
const running = (attempt = 0, container = "main"): PodEvent => ({
  type: "observed",
  container,
  observation: { kind: "running", id: `${container}-${attempt}`, attempt, startedAt: WALL - 60_000, imageRef: "i" },
});
const exited = (more: Partial<Exit> = {}, container = "main"): PodEvent => ({
  type: "observed",
  container,
  observation: {
    kind: "exited",
    exit: {
      id: `${container}-0`,
      attempt: 0,
      exitCode: 1,
      reason: "Error",
      message: "",
      startedAt: WALL - 60_000,
      finishedAt: WALL - 5_000,
      seen: 95_000,
      imageRef: "i",
      ...more,
    },
  },
});
const ENDED = "ended 5s ago with exit code 1 (Error) having run 55s";
const terminate = (cause: TerminationCause, more: object = {}): PodEvent => ({
  type: "terminate",
  cause,
  at: WALL - 3_000,
  ...more,
});

describe("a pod", () => {
  const pod = (...events: readonly PodEvent[]): string | undefined => words(aPod(), ...events)["web-node1"];
  const refused: PodEvent = { type: "rejected", reason: "OutOfcpu", message: "too little", at: 0 };
  const failed = (now: number): PodEvent => ({ type: "syncFailed", message: "no disk", now });

  test.each<{ name: string; events: readonly PodEvent[]; says: string }>([
    { name: "is new", events: [], says: "waits for its turn to be admitted" },
    {
      name: "is not admitted yet",
      events: [{ type: "postponed", reason: "Waiting", message: "gpu", notBefore: 107_000 }],
      says: "waits to be admitted (Waiting: gpu); asked again in 7s",
    },
    {
      name: "is refused",
      events: [refused],
      says: "refused (OutOfcpu): too little; not tried again while this agent runs: change its manifest, or make room, delete the pod and apply it again",
    },
    {
      name: "is refused for something that no room helps",
      events: [{ ...refused, reason: "NodeAffinity", message: "not this node" }],
      says: "refused (NodeAffinity): not this node; not tried again while this agent runs: change its manifest, or fix the cause, delete the pod and apply it again",
    },
    { name: "has no sandbox", events: [ADMITTED], says: "admitted 1m30s ago; its sandbox is being made" },
    { name: "is up", events: UP, says: "admitted 1m30s ago" },
    {
      name: "lacks something",
      events: [ADMITTED, failed(100_000)],
      says: "admitted 1m30s ago; what it needs could not be made: no disk; tried again in 1s",
    },
    {
      name: "lacks something for long",
      events: [ADMITTED, failed(90_000), failed(91_000)],
      says: "admitted 1m30s ago; what it needs could not be made (2 times): no disk; tried again now",
    },
    {
      name: "is stopped",
      events: [...UP, terminate({ kind: "deleted" }, { gracePeriodSeconds: 30 })],
      says: "is being stopped since 3s, within 30s: it was deleted",
    },
    {
      name: "is stopped without a word on its time",
      events: [...UP, terminate({ kind: "shutdown" })],
      says: "is being stopped since 3s: the agent stops its pods",
    },
    {
      name: "has ended",
      events: [...UP, terminate({ kind: "completed" }), { type: "stopped" }],
      says: "has ended: its containers are done; it is not started again",
    },
    {
      name: "is gone",
      events: [...UP, terminate({ kind: "completed" }), { type: "stopped" }, { type: "removed" }],
      says: "nothing of it is left on the node; waits until its source has taken its last status (an API server that is away, as a rule)",
    },
  ])("that $name", ({ events, says }) => expect(pod(...events)).toBe(says));

  test.each<{ cause: TerminationCause; says: string }>([
    {
      cause: { kind: "evicted", by: "eviction", reason: "Evicted", message: "no memory" },
      says: "evicted by eviction (Evicted): no memory",
    },
    { cause: { kind: "rejected", reason: "OutOfcpu", message: "x" }, says: "refused (OutOfcpu): x" },
    { cause: { kind: "replaced" }, says: "its manifest changed, the new one follows" },
    { cause: { kind: "deadline" }, says: "it was active longer than its activeDeadlineSeconds" },
    { cause: { kind: "orphaned" }, says: "no source wants it any more" },
  ])("$says", ({ cause, says }) => expect(pod(...UP, terminate(cause))).toBe(`is being stopped since 3s: ${says}`));

  test("that is not admitted has no containers; names are complete", () => {
    expect(situation(after(aPod()), moment)).toHaveLength(1);
    expect(situation(after(aPod(), refused), moment)).toHaveLength(1);
    expect(situation(after(aPod(), ADMITTED), moment).map(({ subject }) => subject)).toEqual([
      "pod/default/web-node1",
      "container/default/web-node1/main",
    ]);
  });
});

describe("a container", () => {
  const main = (pod: Pod, ...events: readonly PodEvent[]): string | undefined => words(pod, ...UP, ...events).main;
  const gate = (said: object): PodEvent => ({ type: "gate", container: "main", gate: said });
  const startFailed: PodEvent = {
    type: "startFailed",
    container: "main",
    reason: "ErrImagePull",
    message: "no",
    notBefore: 103_000,
  };

  test.each<{ name: string; events: readonly PodEvent[]; says: string }>([
    { name: "is to come", events: [], says: "waits (ContainerCreating); comes next" },
    {
      name: "never started in a pod that has ended",
      events: [terminate({ kind: "shutdown" }), { type: "stopped" }],
      says: "was never started",
    },
    { name: "starts", events: [starting()], says: "is being started" },
    {
      name: "could not be started",
      events: [starting(), startFailed],
      says: "waits (ErrImagePull: no); tried again in 3s",
    },
    { name: "runs", events: [starting(), running()], says: "runs since 1m0s" },
    {
      name: "has not started for its probe",
      events: [running(), gate({ started: false, ready: false })],
      says: "runs since 1m0s; its startup probe has not succeeded yet",
    },
    {
      name: "is not ready",
      events: [running(), gate({ ready: false })],
      says: "runs since 1m0s; not ready: its readiness probe fails, or has not succeeded yet",
    },
    {
      name: "is to be killed",
      events: [running(), gate({ ready: false }), { type: "killRequested", container: "main", message: "liveness" }],
      says: "runs since 1m0s; is about to be stopped and started again: liveness",
    },
    { name: "has crashed once", events: [starting(), running(), exited()], says: `${ENDED}; started again now` },
    {
      name: "was restarted",
      events: [starting(), running(), exited(), starting(96_000), running(1)],
      says: `runs since 1m0s (restarted 1 time); before that it ${ENDED}`,
    },
    {
      name: "is being restarted",
      events: [starting(), running(1), exited({ attempt: 1 }), starting(96_000)],
      says: `is being started (restarted 2 times); before that it ${ENDED}`,
    },
    {
      name: "could not be restarted",
      events: [starting(), running(), exited(), starting(96_000), startFailed],
      says: `waits (ErrImagePull: no); tried again in 3s; before that it ${ENDED}`,
    },
    {
      name: "is in back-off",
      events: [starting(), running(), exited(), starting(94_000), running(1), exited({ attempt: 1 })],
      says: `${ENDED}; started again in 5s, after a back-off of 10s`,
    },
    {
      name: "failed by its hook",
      events: [
        starting(),
        running(),
        { type: "failed", container: "main", reason: "PostStartHookError", message: "no" },
        exited(),
      ],
      says: `${ENDED}; started again now (PostStartHookError: no)`,
    },
    {
      name: "said something last",
      events: [exited({ message: " bad \n", startedAt: 0 })],
      says: "ended 5s ago with exit code 1 (Error): bad; started again now",
    },
    {
      name: "ended as it started",
      events: [exited({ startedAt: WALL - 5_000 })],
      says: "ended 5s ago with exit code 1 (Error); started again now",
    },
  ])("that $name", ({ events, says }) => expect(main(aPod(), ...events)).toBe(says));

  test("is not started again against its policy, nor in a pod that ends", () => {
    const ended = [starting(), running(), exited()];
    expect(main(aPod({ restartPolicy: "Never" }), ...ended)).toBe(`${ENDED}; not started again (restartPolicy Never)`);
    expect(main(aPod(), ...ended, terminate({ kind: "deleted" }))).toBe(`${ENDED}; not started again`);
  });

  test("is an init container that is done, with any policy of its pod", () => {
    const pod = aPod({ initContainers: [aContainer("setup")] });
    const done = [starting(0, "setup"), running(0, "setup"), exited({ exitCode: 0, reason: "Completed" }, "setup")];
    expect(words(pod, ...UP, ...done).setup).toMatch(
      /exit code 0 \(Completed\).*; has done its work as an init container$/,
    );
  });

  test("waits for init containers and sidecars, by name", () => {
    const pod = aPod({
      initContainers: [aContainer("proxy", { restartPolicy: "Always" }), aContainer("setup"), aContainer("more")],
    });
    expect(words(pod, ...UP)).toMatchObject({
      proxy: "waits (PodInitializing); comes next",
      setup: "waits for sidecar proxy",
      main: "waits for sidecar proxy",
    });
    const proxied = [...UP, starting(0, "proxy"), running(0, "proxy")];
    expect(words(pod, ...proxied)).toMatchObject({
      setup: "waits (PodInitializing); comes next",
      more: "waits for init container setup",
      main: "waits for init container setup",
    });
  });
});
