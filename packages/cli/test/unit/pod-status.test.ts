import { describe, expect, test } from "@jest/globals";
import { aPod, NOW } from "../../../server/test/samples.js";
import { type PodSummary, summarize } from "../../src/pod-status.js";
import { podCells } from "../../src/print/pod-table.js";

const running = { running: { startedAt: "2026-11-21T09:59:01Z" } };
const waiting = (reason: string) => ({ waiting: { reason } });
const ended = (exitCode: number, reason?: string, signal?: number) => ({
  terminated: { exitCode, ...(reason && { reason }), ...(signal && { signal }) },
});
const status = (name: string, state: object, more: object = {}) => ({
  name,
  state,
  ready: "running" in state,
  restartCount: 0,
  image: "host",
  imageID: "",
  ...more,
});
const containers = (...names: string[]) => names.map((name) => ({ name, image: "host" }));
const sidecar = (name: string) => ({ name, image: "host", restartPolicy: "Always" });
const INITIALIZED = { type: "Initialized", status: "True" };
const READY = { type: "Ready", status: "True" };

interface Case {
  readonly name: string;
  readonly status: object;
  readonly spec?: object;
  readonly metadata?: object;
  readonly expected: Partial<PodSummary>;
}

const cases: readonly Case[] = [
  { name: "a running pod", status: {}, expected: { ready: 1, total: 1, status: "Running", restarts: 0 } },
  {
    name: "a container that is Ready and of which no state is known does not count as ready",
    status: { containerStatuses: [status("main", {}, { ready: true })] },
    expected: { ready: 0, total: 1 },
  },
  {
    name: "a pod of which nothing is known yet is Pending",
    status: { phase: "Pending", containerStatuses: [], conditions: [] },
    expected: { ready: 0, total: 1, status: "Pending" },
  },
  {
    name: "a waiting container gives its reason",
    status: { phase: "Pending", containerStatuses: [status("main", waiting("ContainerCreating"))] },
    expected: { status: "ContainerCreating", ready: 0 },
  },
  {
    name: "back-off is named with its restarts",
    status: { containerStatuses: [status("main", waiting("CrashLoopBackOff"), { restartCount: 4 })] },
    expected: { status: "CrashLoopBackOff", restarts: 4 },
  },
  {
    name: "a container counts as ready only while it runs",
    status: { containerStatuses: [status("main", {}, { ready: true })] },
    expected: { status: "Running", ready: 0 },
  },
  {
    name: "a rejected pod shows the reason of the pod",
    status: { phase: "Failed", reason: "OutOfcpu", containerStatuses: [] },
    expected: { status: "OutOfcpu" },
  },
  {
    name: "ended well",
    status: { phase: "Succeeded", containerStatuses: [status("main", ended(0, "Completed"))] },
    expected: { status: "Completed", ready: 0, total: 1 },
  },
  {
    name: "ended badly",
    status: { phase: "Failed", containerStatuses: [status("main", ended(1, "Error"))] },
    expected: { status: "Error" },
  },
  {
    name: "an end without a reason shows the exit code",
    status: { containerStatuses: [status("main", ended(3))] },
    expected: { status: "ExitCode:3" },
  },
  {
    name: "an end by a signal without a reason shows the signal",
    status: { containerStatuses: [status("main", ended(137, undefined, 9))] },
    expected: { status: "Signal:9" },
  },
  {
    name: "the first container's trouble counts, not the last one's",
    spec: { containers: containers("a", "b") },
    status: { containerStatuses: [status("a", waiting("CrashLoopBackOff")), status("b", ended(1, "Error"))] },
    expected: { status: "CrashLoopBackOff", ready: 0, total: 2 },
  },
  {
    name: "one container completed, the other runs and the pod is ready",
    spec: { containers: containers("a", "b") },
    status: { conditions: [READY], containerStatuses: [status("a", ended(0, "Completed")), status("b", running)] },
    expected: { status: "Running", ready: 1, total: 2 },
  },
  {
    name: "one container completed, the other runs and the pod is not ready",
    spec: { containers: containers("a", "b") },
    status: { conditions: [], containerStatuses: [status("a", ended(0, "Completed")), status("b", running)] },
    expected: { status: "NotReady", ready: 1, total: 2 },
  },
  {
    name: "the second init container runs",
    spec: { initContainers: containers("one", "two") },
    status: {
      phase: "Pending",
      initContainerStatuses: [status("one", ended(0, "Completed")), status("two", running)],
      containerStatuses: [status("main", waiting("PodInitializing"))],
    },
    expected: { status: "Init:1/2", ready: 0, total: 1 },
  },
  {
    name: "an init container that waits its turn counts as the one at work",
    spec: { initContainers: containers("one") },
    status: { phase: "Pending", initContainerStatuses: [status("one", waiting("PodInitializing"))] },
    expected: { status: "Init:0/1" },
  },
  {
    name: "an init container in back-off",
    spec: { initContainers: containers("one") },
    status: {
      phase: "Pending",
      initContainerStatuses: [status("one", waiting("CrashLoopBackOff"), { restartCount: 2 })],
      containerStatuses: [status("main", waiting("PodInitializing"), { restartCount: 9 })],
    },
    expected: { status: "Init:CrashLoopBackOff", restarts: 2 },
  },
  {
    name: "an init container that failed with a reason",
    spec: { initContainers: containers("one") },
    status: { phase: "Failed", initContainerStatuses: [status("one", ended(1, "Error"))] },
    expected: { status: "Init:Error" },
  },
  {
    name: "an init container that failed without a reason",
    spec: { initContainers: containers("one") },
    status: { phase: "Failed", initContainerStatuses: [status("one", ended(7))] },
    expected: { status: "Init:ExitCode:7" },
  },
  {
    name: "an init container killed by a signal",
    spec: { initContainers: containers("one") },
    status: { phase: "Failed", initContainerStatuses: [status("one", ended(137, undefined, 9))] },
    expected: { status: "Init:Signal:9" },
  },
  {
    name: "through with init containers, their restarts no longer count",
    spec: { initContainers: containers("one") },
    status: {
      conditions: [INITIALIZED, READY],
      initContainerStatuses: [status("one", ended(0, "Completed"), { restartCount: 5 })],
      containerStatuses: [status("main", running, { restartCount: 1 })],
    },
    expected: { status: "Running", restarts: 1, ready: 1, total: 1 },
  },
  {
    name: "a sidecar counts in READY and RESTARTS",
    spec: { initContainers: [sidecar("side")] },
    status: {
      conditions: [INITIALIZED, READY],
      initContainerStatuses: [status("side", running, { started: true, restartCount: 2 })],
      containerStatuses: [status("main", running, { restartCount: 1 })],
    },
    expected: { status: "Running", restarts: 3, ready: 2, total: 2 },
  },
  {
    name: "a sidecar that has not started yet holds initialization up",
    spec: { initContainers: [sidecar("side")] },
    status: { phase: "Pending", initContainerStatuses: [status("side", running, { started: false })] },
    expected: { status: "Init:0/1", ready: 0, total: 2 },
  },
  {
    name: "a pod being deleted is Terminating",
    metadata: { deletionTimestamp: "2026-11-21T10:00:00Z" },
    status: {},
    expected: { status: "Terminating", ready: 1 },
  },
  {
    name: "a pod that has ended stays what it was while it is deleted",
    metadata: { deletionTimestamp: "2026-11-21T10:00:00Z" },
    status: { phase: "Failed", reason: "Evicted", containerStatuses: [] },
    expected: { status: "Evicted" },
  },
  {
    name: "a deleted pod of a lost node is Unknown",
    metadata: { deletionTimestamp: "2026-11-21T10:00:00Z" },
    status: { reason: "NodeLost" },
    expected: { status: "Unknown" },
  },
  {
    name: "a gated pod",
    status: {
      phase: "Pending",
      containerStatuses: [],
      conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
    },
    expected: { status: "SchedulingGated" },
  },
];

describe("READY, STATUS and RESTARTS as kubectl computes them", () => {
  test.each(cases)("$name", ({ status: is, spec, metadata, expected }) => {
    expect(
      summarize(
        aPod("web", {
          status: is,
          ...(spec && { spec: { ...aPod("x").spec, ...spec } }),
          ...(metadata && { metadata }),
        }),
      ),
    ).toMatchObject(expected);
  });
});

test("RESTARTS says how long ago the last one was", () => {
  const lastState = { terminated: { exitCode: 1, finishedAt: "2026-11-21T09:59:50Z" } };
  const pod = aPod("web", { status: { containerStatuses: [status("main", running, { restartCount: 3, lastState })] } });
  expect(podCells(pod, NOW)).toMatchObject({ RESTARTS: "3 (10s ago)", AGE: "60s", IP: "10.0.0.1", NODE: "node1" });
});

test("the last restart is the newest end before one; what has not ended yet has none", () => {
  const end = (second: number) => ({ terminated: { exitCode: 1, finishedAt: `2026-11-21T09:59:${second}Z` } });
  const pod = aPod("web", {
    spec: { containers: containers("a", "b", "c", "d") },
    status: {
      containerStatuses: [
        status("a", running, { restartCount: 1, lastState: end(20) }),
        status("b", running, { restartCount: 2, lastState: end(50) }),
        status("c", running, { restartCount: 4, lastState: {} }),
        status("d", running),
      ],
    },
  });
  expect(summarize(pod)).toEqual({
    ready: 4,
    total: 4,
    status: "Running",
    restarts: 7,
    lastRestart: Date.UTC(2026, 10, 21, 9, 59, 50),
  });
});

test("a static pod without a creation time is as old as its start", () => {
  const pod = aPod("web", { metadata: { creationTimestamp: null }, status: { startTime: "2026-11-21T09:55:00Z" } });
  expect(podCells(pod, NOW).AGE).toBe("5m");
  expect(
    podCells(aPod("web", { metadata: { creationTimestamp: null }, status: { startTime: undefined } }), NOW).AGE,
  ).toBe("<unknown>");
});
