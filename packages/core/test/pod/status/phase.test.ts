import { describe, expect, test } from "@jest/globals";
import { podPhase } from "../../../src/pod/status/phase.js";
import type { ContainerStatus } from "../../../src/pod/status/types.js";
import { aContainer, aPod } from "../pods.js";

type State = NonNullable<ContainerStatus["state"]>;

const running: State = { running: { startedAt: "2026-11-21T00:00:00Z" } };
const ended = (exitCode: number): State => ({ terminated: { exitCode } });
const waiting: State = { waiting: { reason: "ContainerCreating" } };

function status(name: string, state: State, more: Partial<ContainerStatus> = {}): ContainerStatus {
  return { name, state, lastState: {}, ready: false, restartCount: 0, image: "", imageID: "", started: true, ...more };
}

const always = aPod({ containers: [aContainer("a"), aContainer("b")] });
const onFailure = { ...always, spec: { ...always.spec, restartPolicy: "OnFailure" } };
const never = { ...always, spec: { ...always.spec, restartPolicy: "Never" } };
const withInit = aPod({ initContainers: [aContainer("i")], containers: [aContainer("a")] });
const withSidecar = aPod({
  initContainers: [aContainer("s", { restartPolicy: "Always" })],
  containers: [aContainer("a")],
});

describe("phase of a pod", () => {
  test.each([
    { name: "all run", pod: always, statuses: [status("a", running), status("b", running)], phase: "Running" },
    { name: "one still waits", pod: always, statuses: [status("a", running), status("b", waiting)], phase: "Pending" },
    { name: "one has no status yet", pod: always, statuses: [status("a", running)], phase: "Pending" },
    {
      name: "all ended, Always: they restart",
      pod: always,
      statuses: [status("a", ended(1)), status("b", ended(0))],
      phase: "Running",
    },
    {
      name: "all ended well, OnFailure",
      pod: onFailure,
      statuses: [status("a", ended(0)), status("b", ended(0))],
      phase: "Succeeded",
    },
    {
      name: "one failed, OnFailure: it restarts",
      pod: onFailure,
      statuses: [status("a", ended(1)), status("b", ended(0))],
      phase: "Running",
    },
    {
      name: "one failed, Never",
      pod: never,
      statuses: [status("a", ended(1)), status("b", ended(0))],
      phase: "Failed",
    },
    {
      name: "one failed, Never, the other runs",
      pod: never,
      statuses: [status("a", ended(1)), status("b", running)],
      phase: "Running",
    },
    {
      name: "a container in back-off counts as stopped",
      pod: always,
      statuses: [status("a", waiting, { lastState: ended(1) }), status("b", running)],
      phase: "Running",
    },
    {
      name: "init container runs",
      pod: withInit,
      statuses: [status("i", running), status("a", waiting)],
      phase: "Pending",
    },
    {
      name: "init container failed and restarts",
      pod: withInit,
      statuses: [status("i", ended(1)), status("a", waiting)],
      phase: "Pending",
    },
    {
      name: "init container failed, Never",
      pod: { ...withInit, spec: { ...withInit.spec, restartPolicy: "Never" } },
      statuses: [status("i", ended(1)), status("a", waiting)],
      phase: "Failed",
    },
    {
      name: "a sidecar that restarts does not put a running pod back",
      pod: withSidecar,
      statuses: [status("s", waiting, { lastState: ended(1) }), status("a", running)],
      phase: "Running",
    },
    {
      name: "a sidecar that has not started holds the pod",
      pod: withSidecar,
      statuses: [status("s", running, { started: false }), status("a", waiting)],
      phase: "Pending",
    },
  ])("$name: $phase", ({ pod, statuses, phase }) => {
    expect(podPhase(pod, statuses, false)).toBe(phase);
  });

  test("a pod that was stopped for good has ended whatever its restart policy", () => {
    expect(podPhase(always, [status("a", ended(0)), status("b", ended(0))], true)).toBe("Succeeded");
    expect(podPhase(always, [status("a", ended(0)), status("b", ended(143))], true)).toBe("Failed");
  });
});
