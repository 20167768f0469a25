import { describe, expect, test } from "@jest/globals";
import { next } from "../../../../src/pod/next.js";
import { initialState, type PodEvent, type PodState } from "../../../../src/pod/state.js";
import { podReady } from "../../../../src/pod/status/pod-ready.js";
import { type Ending, terminationProgress } from "../../../../src/pod/status/termination-progress.js";
import { aContainer, aPod } from "../../../pod/pods.js";

const running = (container: string): PodEvent => ({
  type: "observed",
  container,
  observation: { kind: "running", id: container, attempt: 0, startedAt: 0, imageRef: "i" },
});
const pod = aPod({ containers: [aContainer("a"), aContainer("b"), aContainer("c")] });
const after = (...events: readonly PodEvent[]): PodState => events.reduce(next, initialState(pod, 0, 0));
const UP: readonly PodEvent[] = [{ type: "admitted" }];
const DELETED: PodEvent = { type: "terminate", cause: { kind: "deleted" }, at: 0 };
const COMPLETED: PodEvent = { type: "terminate", cause: { kind: "completed" }, at: 0 };
const REJECTED: PodEvent = { type: "rejected", reason: "OutOfcpu", message: "too little", at: 0 };

describe("a pod on its way out waits for", () => {
  test.each<[string, Ending, readonly PodEvent[], string]>([
    ["plugins that want to know", { step: "taps" }, [], "plugins that want to know before it stops (podTerminate)"],
    ["its only running container", { step: "containers" }, [running("b")], "container b to stop"],
    ["its running containers", { step: "containers" }, [running("a"), running("c")], "containers a, c to stop"],
    ["its sandbox, where no container runs", { step: "containers" }, [], "its sandbox to stop"],
    ["plugins that gave it something", { step: "afterStop" }, [], "plugins to take back what they gave it (afterStop)"],
    ["its volumes", { step: "volumes" }, [], "its volumes to be emptied"],
    ["what is left of it", { step: "removal" }, [], "its containers, volumes and logs to be removed"],
    [
      "what failed, and is tried again",
      { step: "volumes", failure: "device busy" },
      [],
      "its volumes to be emptied, which failed and is tried again: device busy",
    ],
  ])("%s", (_, ending, events, words) => {
    expect(terminationProgress(after(...UP, ...events, DELETED), ending)).toBe(`; waits for ${words}`);
  });

  test.each<[string, readonly PodEvent[], Ending | undefined]>([
    ["while nothing is known of its end", [...UP, DELETED], undefined],
    ["while it runs", UP, { step: "taps" }],
    ["before its admission", [], { step: "taps" }],
    ["when it has ended and stays listed", [...UP, COMPLETED, { type: "stopped" }], { step: "removal" }],
    ["when it was refused and stays listed", [REJECTED], { step: "removal" }],
    ["when it is gone", [REJECTED, DELETED, { type: "removed" }], { step: "removal" }],
  ])("nothing %s", (_, events, ending) => expect(terminationProgress(after(...events), ending)).toBe(""));

  test.each<[string, readonly PodEvent[]]>([
    ["ended", [...UP, COMPLETED, { type: "stopped" }, DELETED]],
    ["was refused", [REJECTED, DELETED]],
  ])("its removal, when it %s and no source wants it any more", (_, events) => {
    expect(terminationProgress(after(...events), { step: "removal" })).toMatch(
      /^; waits for its containers, volumes and logs/,
    );
  });
});

describe("a pod is ready", () => {
  const status = (...conditions: readonly (readonly [string, string])[]) => ({
    conditions: conditions.map(([type, is]) => ({ type, status: is })),
  });
  test.each([
    { name: "when its condition says so", status: status(["Ready", "True"]), ready: true },
    { name: "when one among others says so", status: status(["Initialized", "False"], ["Ready", "True"]), ready: true },
    { name: "not when it says otherwise", status: status(["Ready", "False"]), ready: false },
    { name: "not when another condition is true", status: status(["Initialized", "True"]), ready: false },
    { name: "not when it has no such condition", status: {}, ready: false },
    { name: "not when it has no status", status: undefined, ready: false },
  ])("$name", ({ status: is, ready }) => {
    expect(podReady(is === undefined ? {} : { status: is })).toBe(ready);
  });
});
