import type { Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { stepFacts } from "../../src/step-facts.js";

interface Given {
  readonly podPolicy: string;
  readonly exitCode: number;
  readonly containerPolicy?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/** Whether a container that has ended comes back, as a probe's worker sees it. */
function comesBack({ podPolicy, exitCode, containerPolicy, conditions = [] }: Given): boolean | undefined {
  const container = { name: "main", image: "app:1", ...(containerPolicy && { restartPolicy: containerPolicy }) };
  const pod = {
    metadata: { name: "web", namespace: "default", uid: "u" },
    spec: { restartPolicy: podPolicy, containers: [container] },
    status: {
      phase: "Running",
      conditions,
      containerStatuses: [{ name: "main", containerID: "process://1", state: { terminated: { exitCode } } }],
    },
  } as unknown as Pod;
  const pods = { get: () => pod, running: () => undefined };
  const agent = { clock: { now: () => 0 }, pods } as never;
  return stepFacts(agent, { get: () => undefined }, { podUid: "u", container: "main" })?.container?.willRestart;
}

describe("a container that has ended comes back", () => {
  test.each([
    { podPolicy: "Always", exitCode: 0, back: true },
    { podPolicy: "OnFailure", exitCode: 0, back: false },
    { podPolicy: "OnFailure", exitCode: 1, back: true },
    { podPolicy: "Never", exitCode: 1, back: false },
  ])("$podPolicy, exit code $exitCode: $back", ({ back, ...given }) => {
    expect(comesBack(given)).toBe(back);
  });

  test("by its own policy before the pod's", () => {
    expect(comesBack({ podPolicy: "Never", containerPolicy: "Always", exitCode: 0 })).toBe(true);
    expect(comesBack({ podPolicy: "Always", containerPolicy: "Never", exitCode: 1 })).toBe(false);
  });

  test("with all others of its pod, whatever its policy says", () => {
    const conditions = [{ type: "AllContainersRestarting", status: "True" }];
    expect(comesBack({ podPolicy: "Never", exitCode: 0, conditions })).toBe(true);
  });
});
