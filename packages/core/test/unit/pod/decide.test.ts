import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { decide, needsNewSandbox } from "../../../src/pod/decide.js";
import { next } from "../../../src/pod/next.js";
import { type Exit, initialState, type PodEvent, type PodState } from "../../../src/pod/state.js";
import { aContainer, aPod } from "../../pod/pods.js";

const UP: readonly PodEvent[] = [
  { type: "admitted" },
  { type: "sandboxReady", id: "s0", attempt: 0, ips: ["10.0.0.1"], at: 0 },
];

function state(pod: Pod, ...events: readonly PodEvent[]): PodState {
  return events.reduce(next, initialState(pod, 0, 0));
}

function runs(container: string, attempt = 0): readonly PodEvent[] {
  const id = `${container}-${attempt}`;
  return [
    { type: "starting", container, now: 0 },
    { type: "observed", container, observation: { kind: "running", id, attempt, startedAt: 0, imageRef: "host" } },
  ];
}

function exit(container: string, exitCode: number, seen = 0, attempt = 0): PodEvent {
  const times = { startedAt: 0, finishedAt: seen, seen };
  const words = { reason: exitCode === 0 ? "Completed" : "Error", message: "", imageRef: "host" };
  const ended: Exit = { id: `${container}-${attempt}`, attempt, exitCode, ...times, ...words };
  return { type: "observed", container, observation: { kind: "exited", exit: ended } };
}

const twoInits = aPod({ initContainers: [aContainer("first"), aContainer("second")] });
const sidecar = aPod({ initContainers: [aContainer("proxy", { restartPolicy: "Always" }), aContainer("setup")] });

/** A container with a policy and, where one is given, a rule of its own for exit code 42. */
function own(name: string, restartPolicy: string, action?: string) {
  const restartPolicyRules =
    action === undefined ? {} : { restartPolicyRules: [{ action, exitCodes: { operator: "In", values: [42] } }] };
  return aContainer(name, { restartPolicy, ...restartPolicyRules } as never);
}

describe("a pod whose sandbox died", () => {
  const dead: readonly PodEvent[] = [{ type: "sandboxDead", id: "s0", attempt: 0 }, { type: "sandboxStopped" }];
  const next1 = { do: "createSandbox", attempt: 1 };

  test("runs an init container again that had succeeded, though its own policy is Never", () => {
    const pod = aPod({ initContainers: [own("setup", "Never")] });
    const before = state(pod, ...UP, ...runs("setup"), exit("setup", 0), ...runs("main"), exit("main", 255), ...dead);
    expect(decide(before, 60_000)).toEqual(next1);
  });

  test.each(["Always", "OnFailure"])(
    "starts a main container again whose own policy is Never, in an %s pod",
    (policy) => {
      const pod = aPod({ restartPolicy: policy, containers: [own("main", "Never"), aContainer("other")] });
      const ran = [...runs("main"), ...runs("other")];
      const before = state(pod, ...UP, ...ran, ...dead, exit("main", 137), exit("other", 137));
      expect(decide(before, 60_000)).toEqual(next1);
      const again = next(before, { type: "sandboxReady", id: "s1", attempt: 1, ips: [], at: 0 });
      expect(decide(again, 60_000)).toEqual({ do: "startContainer", container: "main" });
    },
  );

  test.each([0, 137])(
    "gets no other one where the own policy of all its main containers is Never and they ended, with %d",
    (code) => {
      const pod = aPod({ containers: [own("main", "Never"), own("other", "Never")] });
      const ended = [exit("main", code), exit("other", 0)];
      // An agent that takes it over sees the sandbox first; one that was there sees the ends first.
      const takenOver = state(pod, { type: "admitted" }, dead[0] as PodEvent, ...ended);
      expect(decide(takenOver, 60_000)).toEqual({ do: "replaceSandbox", id: "s0" });
      expect(needsNewSandbox(takenOver)).toBe(false);
      expect(decide(next(takenOver, { type: "sandboxStopped" }), 60_000)).toEqual({ do: "complete" });
      const seen = state(pod, ...UP, ...runs("main"), ...runs("other"), ...ended, ...dead);
      expect(decide(seen, 60_000)).toEqual({ do: "complete" });
    },
  );

  test("leaves one with its own OnFailure that had succeeded", () => {
    const pod = aPod({ containers: [own("once", "OnFailure"), aContainer("main")] });
    const ended = [...runs("once"), exit("once", 0), ...runs("main"), exit("main", 255)];
    const again = state(pod, ...UP, ...ended, ...dead, { type: "sandboxReady", id: "s1", attempt: 1, ips: [], at: 0 });
    expect(decide(again, 60_000)).toEqual({ do: "startContainer", container: "main" });
    expect(decide([...runs("main", 1)].reduce(next, again), 60_000)).toEqual({ do: "wait" });
  });

  test("removes its containers first when one had triggered a restart of all, and gets a new sandbox even where it never restarts", () => {
    const pod = aPod({ restartPolicy: "Never", containers: [own("main", "Never", "RestartAllContainers")] });
    const called = state(pod, ...UP, ...runs("main"), exit("main", 42), dead[0] as PodEvent);
    expect(decide(called, 0)).toEqual({ do: "resetContainers" });
    const reset = next(called, { type: "containersReset", now: 0 });
    expect(needsNewSandbox(reset)).toBe(true);
    expect(decide(reset, 0)).toEqual({ do: "replaceSandbox", id: "s0" });
    expect(decide(next(reset, { type: "sandboxStopped" }), 0)).toEqual(next1);
  });

  test("gets none after a restart of all once one has begun again in a pod that never restarts", () => {
    const pod = aPod({ restartPolicy: "Never", containers: [own("main", "Never", "RestartAllContainers")] });
    const reset = state(pod, ...UP, ...runs("main"), exit("main", 42), { type: "containersReset", now: 0 });
    const again = [...runs("main", 1), ...dead, exit("main", 137, 0, 1)].reduce(next, reset);
    expect(decide(again, 0)).toEqual({ do: "complete" });
  });
});

describe("a pod that restarts all its containers again and again", () => {
  test("waits for the back-off of the container that triggers it: at once, then 10 s, then 20 s", () => {
    const pod = aPod({ containers: [own("main", "Never", "RestartAllContainers"), aContainer("other")] });
    let now = 0;
    let current = state(pod, ...UP);
    const waits = [0, 1, 2].map((attempt) => {
      const ended = [...runs("main", attempt), ...runs("other", attempt), exit("main", 42, now, attempt)];
      current = [...ended, { type: "containersReset", now } as const].reduce(next, current);
      const step = decide(current, now);
      const until = step.do === "wait" ? (step.until ?? Number.NaN) : now;
      const waited = until - now;
      now = until;
      expect(decide(current, now)).toEqual({ do: "startContainer", container: "main" });
      return waited;
    });
    expect(waits).toEqual([0, 10_000, 20_000]);
  });
});

describe("the next step of a pod", () => {
  test("a sandbox comes before the first container", () => {
    expect(decide(state(aPod(), { type: "admitted" }), 0)).toEqual({ do: "createSandbox", attempt: 0 });
  });

  test("init containers run in order, one after the other", () => {
    expect(decide(state(twoInits, ...UP), 0)).toEqual({ do: "startContainer", container: "first" });
    expect(decide(state(twoInits, ...UP, ...runs("first")), 0)).toEqual({ do: "wait" });
    const afterFirst = state(twoInits, ...UP, ...runs("first"), exit("first", 0));
    expect(decide(afterFirst, 0)).toEqual({ do: "startContainer", container: "second" });
    const afterSecond = [...runs("second"), exit("second", 0)].reduce(next, afterFirst);
    expect(decide(afterSecond, 0)).toEqual({ do: "startContainer", container: "main" });
  });

  test("a sidecar holds the next init container until it has started", () => {
    const held: PodEvent = { type: "gate", container: "proxy", gate: { started: false } };
    const waiting = state(sidecar, ...UP, ...runs("proxy"), held);
    expect(decide(waiting, 0)).toEqual({ do: "wait" });
    const started = next(waiting, { type: "gate", container: "proxy", gate: { started: true } });
    expect(decide(started, 0)).toEqual({ do: "startContainer", container: "setup" });
  });

  test("a sidecar that ends is started again while the main containers run", () => {
    const up = state(sidecar, ...UP, ...runs("proxy"), ...runs("setup"), exit("setup", 0), ...runs("main"));
    expect(decide(up, 0)).toEqual({ do: "wait" });
    expect(decide(next(up, exit("proxy", 0)), 0)).toEqual({ do: "startContainer", container: "proxy" });
  });

  test("a pod whose main containers are done is complete although its sidecar runs", () => {
    const job = { ...sidecar, spec: { ...sidecar.spec, restartPolicy: "OnFailure" } };
    const done = state(
      job,
      ...UP,
      ...runs("proxy"),
      ...runs("setup"),
      exit("setup", 0),
      ...runs("main"),
      exit("main", 0),
    );
    expect(decide(done, 0)).toEqual({ do: "complete" });
  });

  test("the second restart waits for its back-off", () => {
    const crashed = state(aPod(), ...UP, ...runs("main"), exit("main", 1, 100));
    expect(decide(crashed, 100)).toEqual({ do: "startContainer", container: "main" });
    const again: readonly PodEvent[] = [
      { type: "starting", container: "main", now: 100 },
      {
        type: "observed",
        container: "main",
        observation: { kind: "running", id: "main-1", attempt: 1, startedAt: 100, imageRef: "host" },
      },
      exit("main", 1, 200, 1),
    ];
    expect(decide(again.reduce(next, crashed), 200)).toEqual({ do: "wait", until: 10_200 });
  });

  test("a container killed for its liveness is started again though it ended with 0 under OnFailure", () => {
    const pod = aPod({ restartPolicy: "OnFailure" });
    const killed = state(pod, ...UP, ...runs("main"), {
      type: "killRequested",
      container: "main",
      message: "failed liveness probe",
    });
    expect(decide(killed, 0)).toEqual({ do: "killContainer", container: "main" });
    expect(decide(next(killed, exit("main", 0)), 0)).toEqual({ do: "startContainer", container: "main" });
  });

  test("a request to kill names the container it means: a younger one is left alone", () => {
    const late: PodEvent = { type: "killRequested", container: "main", message: "", id: "main-0" };
    expect(decide(state(aPod(), ...UP, ...runs("main", 1), late), 0)).toEqual({ do: "wait" });
  });

  test("activeDeadlineSeconds end a pod that waits in back-off as well", () => {
    const pod = aPod({ activeDeadlineSeconds: 5 });
    const up = state(pod, ...UP, ...runs("main"));
    expect(decide(up, 4_999)).toEqual({ do: "wait", until: 5_000 });
    expect(decide(up, 5_000)).toEqual({ do: "exceedDeadline" });
  });

  test("a dead sandbox is replaced, and the init containers run again in the new one", () => {
    const one = aPod({ initContainers: [aContainer("first")] });
    const up = state(one, ...UP, ...runs("first"), exit("first", 0), ...runs("main"));
    const dead = [{ type: "sandboxDead", id: "s0", attempt: 0 }, exit("main", 137)].reduce(
      (before, event) => next(before, event as PodEvent),
      up,
    );
    expect(decide(dead, 0)).toEqual({ do: "replaceSandbox", id: "s0" });
    const stopped = next(dead, { type: "sandboxStopped" });
    expect(decide(stopped, 0)).toEqual({ do: "createSandbox", attempt: 1 });
    const fresh = next(stopped, { type: "sandboxReady", id: "s1", attempt: 1, ips: [], at: 0 });
    expect(decide(fresh, 0)).toEqual({ do: "startContainer", container: "first" });
  });

  test("a sandbox that could not be made is tried again after 0.5 s, then 1 s", () => {
    const failed = state(aPod(), { type: "admitted" }, { type: "syncFailed", message: "no", now: 0 });
    expect(decide(failed, 0)).toEqual({ do: "wait", until: 500 });
    expect(decide(failed, 500)).toEqual({ do: "createSandbox", attempt: 0 });
    expect(decide(next(failed, { type: "syncFailed", message: "no", now: 500 }), 500)).toEqual({
      do: "wait",
      until: 1500,
    });
  });

  test("a pod that ended stays until it is unwanted", () => {
    const ended = state(aPod(), { type: "terminate", cause: { kind: "completed" }, at: 0 }, { type: "stopped" });
    expect(decide(ended, 0)).toEqual({ do: "wait" });
    expect(decide(next(ended, { type: "terminate", cause: { kind: "deleted" }, at: 1 }), 1)).toEqual({ do: "remove" });
  });
});

describe("a pod whose sandbox died", () => {
  const dead: PodEvent = { type: "sandboxDead", id: "s0", attempt: 0 };
  const ended = (code: number): readonly PodEvent[] => [...UP, ...runs("main"), exit("main", code), dead];
  test.each([
    ["that never restarts, and has ended", aPod({ restartPolicy: "Never" }), ended(1), false],
    ["that never restarts, and runs", aPod({ restartPolicy: "Never" }), [...UP, ...runs("main"), dead], false],
    ["that never restarts, and has not begun", aPod({ restartPolicy: "Never" }), [...UP, dead], true],
    ["that restarts on failure, and succeeded", aPod({ restartPolicy: "OnFailure" }), ended(0), false],
    ["that restarts on failure, and failed", aPod({ restartPolicy: "OnFailure" }), ended(1), true],
    ["that always restarts, and runs", aPod(), [...UP, ...runs("main"), dead], true],
  ])("%s", (_name, pod, events, made) => {
    expect(needsNewSandbox(state(pod, ...events))).toBe(made);
  });
});

describe("a pod with a deadline", () => {
  test("waits no longer than until then, and no longer than for its next start", () => {
    const pod = (activeDeadlineSeconds: number) => aPod({ activeDeadlineSeconds });
    const crashed = (own: Pod) =>
      state(own, ...UP, ...runs("main"), exit("main", 1), ...runs("main", 1), exit("main", 1, 0, 1));
    expect(decide(crashed(pod(5)), 1_000)).toEqual({ do: "wait", until: 5_000 });
    expect(decide(crashed(pod(50)), 1_000)).toEqual({ do: "wait", until: 10_000 });
  });
});

describe("init containers", () => {
  const init = (restartPolicy: string, ...events: readonly PodEvent[]) =>
    decide(state(aPod({ restartPolicy, initContainers: [aContainer("init")] }), ...UP, ...events), 0);

  test.each<[string, string, readonly PodEvent[], object]>([
    [
      "run again when they fail, where the pod always restarts",
      "Always",
      [...runs("init"), exit("init", 1)],
      { do: "startContainer", container: "init" },
    ],
    [
      "run again when they fail, where the pod restarts on failure",
      "OnFailure",
      [...runs("init"), exit("init", 1)],
      { do: "startContainer", container: "init" },
    ],
    [
      "end the pod when they fail, where it never restarts",
      "Never",
      [...runs("init"), exit("init", 1)],
      { do: "complete" },
    ],
    [
      "are followed by the main ones when they succeed, whatever the policy",
      "Never",
      [...runs("init"), exit("init", 0)],
      { do: "startContainer", container: "main" },
    ],
    [
      "do not run again after they succeeded, where the pod always restarts",
      "Always",
      [...runs("init"), exit("init", 0)],
      { do: "startContainer", container: "main" },
    ],
    ["hold the main ones while they run", "Never", [...runs("init")], { do: "wait" }],
  ])("%s", (_, policy, events, step) => expect(init(policy, ...events)).toEqual(step));
});

describe("main containers", () => {
  const two = (restartPolicy: string) => aPod({ restartPolicy, containers: [aContainer("a"), aContainer("b")] });

  test("are all started, in the order of the manifest", () => {
    expect(decide(state(two("Always"), ...UP), 0)).toEqual({ do: "startContainer", container: "a" });
    expect(decide(state(two("Always"), ...UP, ...runs("a")), 0)).toEqual({ do: "startContainer", container: "b" });
  });

  test("complete the pod when all are done, and not before", () => {
    const one = [...runs("a"), ...runs("b"), exit("a", 0)];
    expect(decide(state(two("OnFailure"), ...UP, ...one), 0)).toEqual({ do: "wait" });
    expect(decide(state(two("OnFailure"), ...UP, ...one, exit("b", 0)), 0)).toEqual({ do: "complete" });
    expect(decide(state(two("Never"), ...UP, ...one, exit("b", 1)), 0)).toEqual({ do: "complete" });
  });

  test("of which one waits for its back-off do not hold the others up", () => {
    const crashed = [...runs("a"), exit("a", 1), ...runs("a", 1), exit("a", 1, 0, 1)];
    expect(decide(state(two("Always"), ...UP, ...crashed), 0)).toEqual({ do: "startContainer", container: "b" });
    expect(decide(state(two("Always"), ...UP, ...crashed, ...runs("b")), 0)).toEqual({ do: "wait", until: 10_000 });
  });
});
