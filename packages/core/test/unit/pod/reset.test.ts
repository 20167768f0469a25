import { describe, expect, test } from "@jest/globals";
import { attemptsKnown, containersReset, lastLogged } from "../../../src/pod/reset.js";
import { type ContainerState, initialState, type PodState } from "../../../src/pod/state.js";
import { aContainer, aPod } from "../../pod/pods.js";

const rule = { action: "RestartAllContainers", exitCodes: { operator: "In", values: [42] } };
const caller = (name: string) => aContainer(name, { restartPolicyRules: [rule] } as never);
const pod = aPod({
  initContainers: [aContainer("setup")],
  containers: [caller("main"), caller("second")],
  ephemeralContainers: [{ name: "debug" }],
} as never);
const exit = (attempt: number, exitCode = 0, seen = 0) => ({
  id: `c${attempt}`,
  attempt,
  exitCode,
  reason: "Error",
  message: "",
  startedAt: 0,
  finishedAt: 0,
  seen,
  imageRef: "",
});
const exited = (...of: Parameters<typeof exit>): ContainerState => ({ kind: "exited", exit: exit(...of) });
const running = (attempt: number): ContainerState => ({
  kind: "running",
  attempt,
  id: "c",
  startedAt: 0,
  imageRef: "",
});
const waiting = { kind: "waiting", attempt: 0, reason: "ContainerCreating", message: "" } as const;
const state = (containers: Record<string, ContainerState>, more: Partial<PodState> = {}): PodState => ({
  ...initialState(pod, 0, 0),
  containers,
  ...more,
});

/** What a container is after it was removed to start again with this attempt. */
const removed = (attempt: number) => {
  const words = {
    reason: "RestartingAllContainers",
    message: "The container is removed because RestartAllContainers in place",
  };
  const last = { id: "", attempt, exitCode: 137, ...words, startedAt: 0, finishedAt: 0, seen: 0, imageRef: "" };
  return { kind: "waiting", attempt, ...words, last };
};

describe("after a restart of all containers", () => {
  test("each that had begun waits for its next attempt, init containers too; ephemeral ones stay", () => {
    const debug = running(0);
    const before = state({ setup: exited(0), main: running(2), second: { kind: "starting", attempt: 4 }, debug });
    expect(containersReset(before, 5_000).containers).toEqual({
      setup: removed(1),
      main: removed(3),
      second: removed(5),
      debug,
    });
  });

  test("one that had not begun waits as before; for a restart that was asked for without its pause", () => {
    const late = { ...waiting, notBefore: 9_000 };
    expect(containersReset(state({ main: late }), 0).containers.main).toEqual(late);
    const asked = containersReset(state({ main: late }, { restartRequested: true }), 0);
    expect(asked.containers.main).toEqual(waiting);
    expect(asked).not.toHaveProperty("restartRequested");
  });

  test("what plugins said of readiness counts no more, but of ephemeral containers", () => {
    const gates = { main: { ready: false }, debug: { ready: true } };
    expect(containersReset(state({}, { gates }), 0).gates).toEqual({ debug: { ready: true } });
  });

  test("the pod is initialized again once its init containers have run; without any at once", () => {
    expect(containersReset(state({}, { initialized: true }), 0).initialized).toBe(false);
    const plain = { ...initialState(aPod(), 0, 0), initialized: false };
    expect(containersReset(plain, 0).initialized).toBe(true);
  });

  describe("that a container called for", () => {
    const backOffs = { main: { window: 20_000, startedAt: 0 } };

    test("the first time all start at once, and the next time counts", () => {
      const after = containersReset(state({ main: exited(0, 42, 1_000), second: running(0) }), 5_000);
      expect(after.containers.second).toEqual(removed(1));
      expect(after.backOffs).toEqual({ main: { window: 10_000, startedAt: 5_000 } });
    });

    test("again and again, its back-off holds them all", () => {
      const after = containersReset(state({ main: exited(1, 42, 4_000), second: running(0) }, { backOffs }), 5_000);
      const held = (after.containers.second as { notBefore: number }).notBefore;
      expect(held).toBeGreaterThan(5_000);
      expect(after.containers).toEqual({
        main: { ...removed(2), notBefore: held },
        second: { ...removed(1), notBefore: held },
      });
      expect(after.backOffs.main).toEqual({ window: 40_000, startedAt: held });
    });

    test("a back-off that is over holds none, nor does that of a container that did not call", () => {
      const over = containersReset(state({ main: exited(1, 42, 4_000) }, { backOffs }), 500_000);
      expect(over.containers.main).toEqual(removed(2));
      const other = containersReset(state({ main: exited(1, 1, 4_000) }, { backOffs }), 5_000);
      expect(other.containers.main).toEqual(removed(2));
      expect(other.backOffs).toEqual(backOffs);
    });
  });
});

describe("attempts that logs tell", () => {
  const plain = initialState(aPod(), 0, 0);

  test("count for a container that waits", () => {
    expect(attemptsKnown(plain, "main", 3).containers.main).toMatchObject({
      kind: "waiting",
      attempt: 3,
      reason: "ContainerCreating",
    });
    expect(attemptsKnown(plain, "main", 3).containers.main).not.toHaveProperty("last");
  });

  test("of a pod whose rules restart all containers are those of a container that was removed", () => {
    expect(attemptsKnown(state({ main: waiting }), "main", 3).containers.main).toEqual(removed(3));
  });

  test.each<[string, ContainerState | undefined, number]>([
    ["one that runs", running(0), 3],
    ["one that knows as many", { ...waiting, attempt: 3 }, 3],
    ["one that knows more", { ...waiting, attempt: 4 }, 3],
    ["one that there is not", undefined, 3],
  ])("change nothing of %s", (_, container, attempts) => {
    const before = state(container === undefined ? {} : { main: container });
    expect(attemptsKnown(before, "main", attempts)).toBe(before);
  });
});

test.each<[string, ContainerState, number | undefined]>([
  ["never ended", waiting, undefined],
  ["ended", { ...waiting, attempt: 3, last: exit(2) }, 2],
  ["was removed", removed(3) as ContainerState, 2],
])("the last log of a container that %s: %#", (_, container, attempt) => {
  expect(lastLogged(container)).toBe(attempt);
});
