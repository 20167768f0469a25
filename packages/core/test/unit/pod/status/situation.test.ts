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
