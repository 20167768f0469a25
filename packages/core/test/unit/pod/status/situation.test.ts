import { expect, test } from "@jest/globals";
import { next } from "../../../../src/pod/next.js";
import { initialState, type PodEvent } from "../../../../src/pod/state.js";
import { situation } from "../../../../src/pod/status/situation.js";
import { aContainer, aPod } from "../../../pod/pods.js";

test("an ephemeral container is listed too, after the others, and waits for no init container", () => {
  const pod = aPod({ initContainers: [aContainer("setup")], ephemeralContainers: [aContainer("shell")] });
  const events: readonly PodEvent[] = [
    { type: "admitted" },
    { type: "sandboxReady", id: "s0", attempt: 0, ips: ["10.0.0.1"], at: 0 },
  ];
  const reported = situation(events.reduce(next, initialState(pod, 0, 0)), { now: 0, wall: 0 });
  const of = (name: string) => reported.find(({ subject }) => subject.endsWith(`/${name}`))?.outcome;
  expect(reported.map(({ subject }) => subject.split("/").slice(3).join())).toEqual(["", "setup", "main", "shell"]);
  expect(of("main")).toBe("waits for init container setup");
  expect(of("shell")).toMatch(/^waits .*; comes next$/);
});

test.each([
  ["OutOfcpu", "make room"],
  ["TopologyAffinityError", "make room"],
  ["TopologyAffinityErrors", "fix the cause"],
  ["NotOutOfcpu", "fix the cause"],
  ["OutOf", "fix the cause"],
])("a pod that was refused for %s is mended by another manifest, or by this: %s", (reason, remedy) => {
  const state = next(initialState(aPod(), 0, 0), { type: "rejected", reason, message: "no", at: 0 });
  expect(situation(state, { now: 0, wall: 0 })[0]?.outcome).toBe(
    `refused (${reason}): no; not tried again while this agent runs: change its manifest, or ${remedy}, delete the pod and apply it again`,
  );
});
