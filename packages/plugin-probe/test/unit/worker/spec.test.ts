import type { Container } from "@hooklet/core";
import { aContainer, aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { httpVerdict } from "../../../src/handlers/verdict.js";
import { probedStatus } from "../../../src/probed-containers.js";
import { probedContainers } from "../../../src/types.js";
import { probeSpec, wantedWorkers } from "../../../src/worker/spec.js";
import { type ContainerLook, newWorker, next, type WorkerRule } from "../../../src/worker/state-machine.js";

describe("a probe's numbers", () => {
  test("are the API's defaults where they are left out", () => {
    expect(probeSpec("liveness", { exec: { command: ["true"] } })).toEqual({
      kind: "liveness",
      handler: "exec",
      probe: { exec: { command: ["true"] } },
      initialDelaySeconds: 0,
      periodMilliseconds: 10_000,
      timeoutMilliseconds: 1000,
      successThreshold: 1,
      failureThreshold: 3,
      tls: false,
    });
  });

  test("are its own where they are given, and 0 is left out", () => {
    const own = {
      initialDelaySeconds: 4,
      periodSeconds: 5,
      timeoutSeconds: 6,
      successThreshold: 7,
      failureThreshold: 8,
    };
    expect(probeSpec("readiness", { ...own, terminationGracePeriodSeconds: 0 })).toMatchObject({
      initialDelaySeconds: 4,
      periodMilliseconds: 5000,
      timeoutMilliseconds: 6000,
      successThreshold: 7,
      failureThreshold: 8,
      terminationGracePeriodSeconds: 0,
    });
    const zeros = { periodSeconds: 0, timeoutSeconds: 0, successThreshold: 0, failureThreshold: 0 };
    expect(probeSpec("readiness", zeros)).toMatchObject({
      periodMilliseconds: 10_000,
      timeoutMilliseconds: 1000,
      successThreshold: 1,
      failureThreshold: 3,
    });
  });

  test("are overridden by the pod's annotations", () => {
    const extras = { periodMilliseconds: 20, timeoutMilliseconds: 30, tls: true };
    expect(probeSpec("liveness", { periodSeconds: 5, timeoutSeconds: 6 }, extras)).toMatchObject(extras);
  });

  const [exec, httpGet, tcpSocket, grpc] = [{ command: ["true"] }, { port: 1 }, { port: 2 }, { port: 3 }];
  test.each([
    { name: "exec before all others", probe: { exec, httpGet, tcpSocket, grpc }, handler: "exec" },
    { name: "then HTTP", probe: { httpGet, tcpSocket, grpc }, handler: "http" },
    { name: "then TCP", probe: { tcpSocket, grpc }, handler: "tcp" },
    { name: "then gRPC", probe: { grpc }, handler: "grpc" },
    { name: "or none", probe: {}, handler: "none" },
  ])("the first handler counts: $name", ({ probe, handler }) => {
    expect(probeSpec("startup", probe).handler).toBe(handler);
  });
});

describe("which containers are probed", () => {
  const container = (name: string, more: object = {}) => aContainer({ name, ...more } as Partial<Container>);
  const probe = { exec: { command: ["true"] } };

  test("main containers, then sidecars; no other init container", () => {
    const pod = aPod({
      containers: [container("a"), container("b")],
      spec: { initContainers: [container("init"), container("side", { restartPolicy: "Always" })] },
    });
    expect(probedContainers(pod).map(({ name }) => name)).toEqual(["a", "b", "side"]);
    expect(probedContainers(aPod({ containers: [container("a")] })).map(({ name }) => name)).toEqual(["a"]);
  });

  test("each container has its workers in the kubelet's order: startup, readiness, liveness", () => {
    const all = { livenessProbe: probe, readinessProbe: probe, startupProbe: probe };
    const pod = aPod({ containers: [container("a", all), container("b", { livenessProbe: probe }), container("c")] });
    expect(wantedWorkers(pod).map(({ container: { name }, spec: { kind } }) => `${name} ${kind}`)).toEqual([
      "a startup",
      "a readiness",
      "a liveness",
      "b liveness",
    ]);
  });
});

describe("a worker that observes its pod", () => {
  const rule: WorkerRule = { kind: "liveness", initialDelaySeconds: 5, successThreshold: 1, failureThreshold: 3 };
  const running: ContainerLook = {
    id: "c1",
    state: "running",
    started: true,
    runningForSeconds: 5,
    willRestart: false,
    adopted: false,
  };
  const look = (container: Partial<ContainerLook> | undefined, pod: object = {}, of = rule, state = newWorker) =>
    next(of, state, {
      type: "look",
      pod: {
        phase: "Running",
        deletionRequested: false,
        container: container && { ...running, ...container },
        ...pod,
      },
    });
  const stored = ({ changes }: ReturnType<typeof look>) => changes.flatMap(({ store }) => store?.result ?? []);

  test.each([
    { name: "probes what has run for its initial delay", step: look({}), act: "probe", results: ["success"] },
    {
      name: "waits before, with its initial value",
      step: look({ runningForSeconds: 4.9 }),
      act: "wait",
      results: ["success"],
    },
    {
      name: "waits while the container has not started",
      step: look({ started: false }),
      act: "wait",
      results: ["success"],
    },
    { name: "waits while there is no container", step: look(undefined), act: "wait", results: [] },
    { name: "waits while it has no id", step: look({ id: "" }), act: "wait", results: [] },
    { name: "ends with a pod that has failed", step: look({}, { phase: "Failed" }), act: "end", results: [] },
    { name: "ends with a pod that has succeeded", step: look({}, { phase: "Succeeded" }), act: "end", results: [] },
    {
      name: "ends with a container that does not come back",
      step: look({ state: "terminated" }),
      act: "end",
      results: ["success", "failure"],
    },
    {
      name: "waits for one that does",
      step: look({ state: "terminated", willRestart: true }),
      act: "wait",
      results: ["success", "failure"],
    },
    {
      name: "waits for one that is made",
      step: look({ state: "waiting" }),
      act: "wait",
      results: ["success", "failure"],
    },
    {
      name: "ends as alive with a pod that is being deleted",
      step: look({}, { deletionRequested: true }),
      act: "end",
      results: ["success", "success"],
    },
    {
      name: "goes on as to readiness, so that traffic goes elsewhere",
      step: look({}, { deletionRequested: true }, { ...rule, kind: "readiness" }),
      act: "probe",
      results: ["failure"],
    },
    {
      name: "gives no initial value to a container that ran before the agent",
      step: look({ adopted: true }),
      act: "probe",
      results: [],
    },
    {
      name: "of startup probes what has not started",
      step: look({ started: false }, {}, { ...rule, kind: "startup" }),
      act: "probe",
      results: ["unknown"],
    },
    {
      name: "of startup waits once it has",
      step: look({}, {}, { ...rule, kind: "startup" }),
      act: "wait",
      results: ["unknown"],
    },
  ])("$name", ({ step, act, results }) => {
    expect([step.act, stored(step)]).toEqual([act, results]);
  });

  test("of which nothing is known waits, and remembers what it knew", () => {
    const state = { ...newWorker, containerId: "c1", resultRun: 2 };
    expect(next(rule, state, { type: "look", pod: undefined })).toEqual({ state, act: "wait", changes: [] });
  });

  test("drops the result of the container before, and continues to count", () => {
    const before = { containerId: "c0", lastResult: "failure", resultRun: 2, onHold: true } as const;
    const step = look({}, {}, rule, before);
    expect(step).toEqual({
      state: { ...before, containerId: "c1", onHold: false },
      act: "probe",
      changes: [{ drop: "c0" }, { store: { containerId: "c1", result: "success" } }],
    });
  });

  test("is on hold after it had a container killed, until there is a new one", () => {
    const failing = { containerId: "c1", lastResult: "failure", resultRun: 2, onHold: false } as const;
    const killed = next(rule, failing, { type: "probed", result: "failure" });
    expect(killed).toEqual({
      state: { ...failing, resultRun: 0, onHold: true },
      act: "wait",
      changes: [{ store: { containerId: "c1", result: "failure" } }],
    });
    expect(look({}, {}, rule, killed.state)).toMatchObject({ act: "wait", changes: [] });
    const once = next(rule, { ...failing, resultRun: 1 }, { type: "probed", result: "failure" });
    expect(once).toEqual({ state: { ...failing, resultRun: 2 }, act: "wait", changes: [] });
  });
});

describe("the effect of probes on a container", () => {
  const facts = {
    running: true,
    startup: undefined,
    hasStartupWorker: false,
    readiness: undefined,
    hasReadinessWorker: false,
    ready: false,
  };
  test.each([
    { name: "without probes one that runs is ready", given: {}, found: [true, true, false] },
    {
      name: "one that does not run keeps what was said",
      given: { running: false, ready: true },
      found: [false, true, false],
    },
    {
      name: "one whose startup probe has not succeeded has not started",
      given: { hasStartupWorker: true },
      found: [false, false, false],
    },
    { name: "nor one whose startup probe has failed", given: { startup: "failure" }, found: [false, false, false] },
    {
      name: "one that is ready asks for no probe",
      given: { hasReadinessWorker: true, readiness: "success" },
      found: [true, true, false],
    },
    {
      name: "one that is not asks for one",
      given: { hasReadinessWorker: true, readiness: "failure" },
      found: [true, false, true],
    },
    {
      name: "one that ran before the agent is as ready as it was, until there is a result",
      given: { hasReadinessWorker: true, remembered: { ready: true, started: true } },
      found: [true, true, true],
    },
    {
      name: "and no longer once there is one",
      given: { hasReadinessWorker: true, readiness: "failure", remembered: { ready: true, started: true } },
      found: [true, false, true],
    },
    {
      name: "one that had started before the agent has started",
      given: { hasStartupWorker: true, remembered: { ready: false, started: true } },
      found: [true, true, false],
    },
  ] as const)("$name", ({ given, found: [started, ready, triggerReadiness] }) => {
    expect(probedStatus({ ...facts, ...given })).toEqual({ started, ready, triggerReadiness });
  });
});

test.each([
  [199, "failure"],
  [200, "success"],
  [299, "success"],
  [300, "warning"],
  [399, "warning"],
  [400, "failure"],
])("an HTTP status of %d is a %s", (status, result) => {
  expect(httpVerdict(status, "").result).toBe(result);
});
