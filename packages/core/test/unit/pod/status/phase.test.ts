import { describe, expect, test } from "@jest/globals";
import { hasStarted, podPhase } from "../../../../src/pod/status/phase.js";
import type { ContainerStatus } from "../../../../src/pod/status/status-types.js";
import { aContainer, aPod } from "../../../pod/pods.js";

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

  const init = (spec: object) => aPod({ containers: [aContainer("a")], ...spec });
  const oneOfTwo = aPod({ initContainers: [aContainer("i"), aContainer("j")], containers: [aContainer("a")] });
  const twoSidecars = init({
    initContainers: [aContainer("s", { restartPolicy: "Always" }), aContainer("t", { restartPolicy: "Always" })],
  });
  const neverWithInit = { ...withInit, spec: { ...withInit.spec, restartPolicy: "Never" } };
  const neverWithSidecar = { ...withSidecar, spec: { ...withSidecar.spec, restartPolicy: "Never" } };
  const unseen = { name: "a", lastState: {}, ready: false, restartCount: 0, image: "", imageID: "" };
  test.each([
    {
      name: "init container done",
      pod: withInit,
      statuses: [status("i", ended(0)), status("a", running)],
      phase: "Running",
    },
    {
      name: "init container done, main waits",
      pod: withInit,
      statuses: [status("i", ended(0)), status("a", waiting)],
      phase: "Pending",
    },
    {
      name: "init container not done, main runs",
      pod: withInit,
      statuses: [status("i", running), status("a", running)],
      phase: "Pending",
    },
    {
      name: "one init container done, the other not",
      pod: oneOfTwo,
      statuses: [status("i", ended(0)), status("j", waiting), status("a", running)],
      phase: "Pending",
    },
    { name: "init container without a status", pod: withInit, statuses: [status("a", running)], phase: "Pending" },
    {
      name: "init container in back-off after a failure, Never",
      pod: neverWithInit,
      statuses: [status("i", waiting, { lastState: ended(1) }), status("a", waiting)],
      phase: "Failed",
    },
    {
      name: "init container in back-off after a success, Never",
      pod: neverWithInit,
      statuses: [status("i", waiting, { lastState: ended(0) }), status("a", running)],
      phase: "Running",
    },
    {
      name: "init container succeeded, Never",
      pod: neverWithInit,
      statuses: [status("i", ended(0)), status("a", running)],
      phase: "Running",
    },
    {
      name: "init container runs again after a failure, Never",
      pod: neverWithInit,
      statuses: [status("i", running, { lastState: ended(1) }), status("a", waiting)],
      phase: "Pending",
    },
    {
      name: "sidecar without a status, main runs",
      pod: withSidecar,
      statuses: [status("a", running)],
      phase: "Running",
    },
    {
      name: "sidecar without a status, main waits",
      pod: withSidecar,
      statuses: [status("a", waiting)],
      phase: "Pending",
    },
    {
      name: "sidecar runs and has started, main runs",
      pod: withSidecar,
      statuses: [status("s", running), status("a", running)],
      phase: "Running",
    },
    {
      name: "sidecar runs and has started, main without a status",
      pod: withSidecar,
      statuses: [status("s", running)],
      phase: "Pending",
    },
    {
      name: "sidecar has not started, main runs",
      pod: withSidecar,
      statuses: [status("s", running, { started: false }), status("a", running)],
      phase: "Running",
    },
    {
      name: "sidecar has not started, main has ended and is restarted",
      pod: withSidecar,
      statuses: [status("s", running, { started: false }), status("a", waiting, { lastState: ended(1) })],
      phase: "Running",
    },
    {
      name: "sidecar has not started, main ended",
      pod: neverWithSidecar,
      statuses: [status("s", running, { started: false }), status("a", ended(0))],
      phase: "Running",
    },
    {
      name: "sidecar runs, main ended: it goes on",
      pod: neverWithSidecar,
      statuses: [status("s", running), status("a", ended(0))],
      phase: "Running",
    },
    {
      name: "sidecar ended, main ended",
      pod: neverWithSidecar,
      statuses: [status("s", ended(0)), status("a", ended(0))],
      phase: "Succeeded",
    },
    {
      name: "sidecar failed, main ended well, Never",
      pod: neverWithSidecar,
      statuses: [status("s", ended(1)), status("a", ended(0))],
      phase: "Succeeded",
    },
    {
      name: "sidecar ended, main waits",
      pod: withSidecar,
      statuses: [status("s", ended(1)), status("a", waiting)],
      phase: "Pending",
    },
    {
      name: "sidecar in back-off, main ended",
      pod: neverWithSidecar,
      statuses: [status("s", waiting, { lastState: ended(1) }), status("a", ended(0))],
      phase: "Succeeded",
    },
    {
      name: "one sidecar runs, the other waits, main waits",
      pod: twoSidecars,
      statuses: [status("s", running), status("t", waiting), status("a", waiting)],
      phase: "Pending",
    },
    {
      name: "one sidecar runs, the other waits, main without status",
      pod: twoSidecars,
      statuses: [status("s", running), status("t", waiting)],
      phase: "Pending",
    },
    { name: "main without any state", pod: init({}), statuses: [unseen], phase: "Pending" },
    {
      name: "one runs, one without any state",
      pod: always,
      statuses: [status("b", running), unseen],
      phase: "Pending",
    },
    {
      name: "one ended, one without any state, Never",
      pod: never,
      statuses: [status("b", ended(0)), unseen],
      phase: "Pending",
    },
    { name: "nothing is known", pod: always, statuses: [], phase: "Pending" },
    {
      name: "one ended, one in back-off, OnFailure",
      pod: onFailure,
      statuses: [status("a", ended(0)), status("b", waiting, { lastState: ended(1) })],
      phase: "Running",
    },
  ])("$name: $phase", ({ pod, statuses, phase }) => expect(podPhase(pod, statuses, false)).toBe(phase));

  test.each([
    { name: "that runs", state: running, has: true },
    { name: "that ended", state: ended(0), has: true },
    { name: "that waits", state: waiting, has: false },
    { name: "that waits after an end", state: waiting, more: { lastState: ended(0) }, has: true },
  ])("a container $name has started: $has", ({ state, more, has }) =>
    expect(hasStarted(status("a", state, more))).toBe(has),
  );

  test("a container without a status, or with an empty one, has not started", () => {
    expect(hasStarted(undefined)).toBe(false);
    expect(hasStarted({ name: "a" } as ContainerStatus)).toBe(false);
  });

  test("a pod that was stopped for good has ended with any restart policy", () => {
    expect(podPhase(always, [status("a", ended(0)), status("b", ended(0))], true)).toBe("Succeeded");
    expect(podPhase(always, [status("a", ended(0)), status("b", ended(143))], true)).toBe("Failed");
  });
});
