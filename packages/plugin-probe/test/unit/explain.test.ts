import type { Decision } from "@hooklet/core";
import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { explainResult } from "../../src/explain.js";
import type { ProbeKind, Result } from "../../src/types.js";
import type { Finding, ProbeWorker } from "../../src/worker/worker.js";

const found = (result: Finding["result"], at = 0, output = ""): Finding => ({ at, result, output });

interface Told {
  readonly kind?: ProbeKind;
  readonly thresholds?: readonly [success: number, failure: number];
  readonly result?: Result;
  readonly restartPolicy?: "Always" | "OnFailure" | "Never";
  readonly own?: "Always" | "OnFailure" | "Never";
  readonly last?: Finding;
  readonly failures?: readonly Finding[];
}

function reports(given: Told, times = 1): readonly Omit<Decision, "at">[] {
  const { kind = "liveness", thresholds: [successThreshold, failureThreshold] = [1, 3], result = "failure" } = given;
  const main = { name: "main", image: "app:1", ...(given.own && { restartPolicy: given.own }) };
  const spec = given.restartPolicy ? { restartPolicy: given.restartPolicy } : {};
  const pod = aPod({ name: "web", uid: "u", spec, containers: [main] });
  const recorded: Omit<Decision, "at">[] = [];
  const parts = {
    pods: { get: (uid: string) => (uid === "u" ? pod : undefined) },
    decisions: { record: (one: Omit<Decision, "at">) => recorded.push(one) },
  } as unknown as Parameters<typeof explainResult>[0];
  const worker = {
    podUid: "u",
    container: "main",
    spec: { kind, successThreshold, failureThreshold },
    last: given.last,
    failures: given.failures ?? [],
    reports: undefined,
  } as unknown as ProbeWorker;
  for (let i = 0; i < times; i++) explainResult(parts, worker, result);
  return recorded;
}

describe("`hooklet explain` of a container", () => {
  test.each<{ name: string; given: Told; outcome: string }>([
    {
      name: "restarted after failures in a row",
      given: {},
      outcome: "restarted: 3 failures of the liveness probe in a row (failureThreshold 3)",
    },
    {
      name: "killed for good where its pod does not restart",
      given: { restartPolicy: "Never" },
      outcome: "killed: 3 failures of the liveness probe in a row (failureThreshold 3)",
    },
    {
      name: "killed for good where it does not restart by its own policy",
      given: { own: "Never" },
      outcome: "killed: 3 failures of the liveness probe in a row (failureThreshold 3)",
    },
    {
      name: "one failure can be enough",
      given: { thresholds: [1, 1] },
      outcome: "restarted: 1 failure of the liveness probe in a row (failureThreshold 1)",
    },
    {
      name: "alive again",
      given: { result: "success", thresholds: [2, 3] },
      outcome: "alive: 2 successes of the liveness probe in a row (successThreshold 2)",
    },
    {
      name: "started",
      given: { kind: "startup", result: "success" },
      outcome: "started: 1 success of the startup probe in a row (successThreshold 1)",
    },
    {
      name: "ready",
      given: { kind: "readiness", result: "success" },
      outcome: "ready: 1 success of the readiness probe in a row (successThreshold 1)",
    },
    {
      name: "not ready, and no container is restarted for it",
      given: { kind: "readiness" },
      outcome: "not ready: 3 failures of the readiness probe in a row (failureThreshold 3)",
    },
  ])("$name", ({ given, outcome }) => {
    expect(reports(given)).toMatchObject([{ strategy: "thresholds", outcome }]);
  });

  test("names the probes that counted, the last one once, each with its time and output", () => {
    const [first, last] = [found("failure", 0, "HTTP 500"), found("error", 1000)];
    const rows = (given: Told) => reports(given)[0]?.considered;
    const expected = [
      { candidate: "probe at 1970-01-01T00:00:00.000Z", verdict: "failure", why: "HTTP 500" },
      { candidate: "probe at 1970-01-01T00:00:01.000Z", verdict: "error", why: "no output" },
    ];
    expect(rows({ failures: [first, last], last })).toEqual(expected);
    expect(rows({ failures: [first], last })).toEqual(expected);
    expect(rows({ failures: [first] })).toEqual(expected.slice(0, 1));
  });

  test("is reported once for the same result", () => {
    expect(reports({}, 3)).toHaveLength(1);
  });
});
