import type { Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { aPod } from "../src/builders.js";
import { runningStatus } from "../src/test-plugin/running-status.js";

test("a condition that a plugin set is shown as it was set: Unknown stays Unknown, with its own time", () => {
  const lastTransitionTime = "2026-01-02T03:04:05Z";
  const parts = { containers: new Map(), startTime: 0, ips: [] };
  const conditions = new Map([
    ["example.com/seen", { type: "example.com/seen", status: "Unknown" as const, lastTransitionTime }],
    ["example.com/new", { type: "example.com/new", status: "True" as const }],
  ]);
  expect(runningStatus(aPod(), { ...parts, conditions }).conditions?.slice(0, 2)).toEqual([
    { type: "example.com/seen", status: "Unknown", lastTransitionTime },
    { type: "example.com/new", status: "True", lastTransitionTime: "1970-01-01T00:00:00Z" },
  ]);
});

describe("conditions are core's own", () => {
  const running = { containerId: "c", startedAt: 0, restartCount: 0, imageRef: "app@sha256:1", started: true };
  const conditionsOf = (pod: Pod, unready: string): readonly object[] => {
    const named = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map(({ name }) => name);
    const containers = new Map(named.map((name) => [name, { ...running, ready: name !== unready }]));
    return runningStatus(pod, { containers, conditions: new Map(), startTime: 0, ips: [] }).conditions ?? [];
  };

  test("a sidecar that is not ready keeps its pod from being Ready, in the kubelet's words", () => {
    const pod = aPod({ initContainers: [{ name: "proxy", restartPolicy: "Always" }] });
    const lastTransitionTime = "1970-01-01T00:00:00Z";
    const words = { reason: "ContainersNotReady", message: "containers with unready status: [proxy]" };
    expect(conditionsOf(pod, "proxy")).toEqual([
      { type: "PodReadyToStartContainers", status: "True", lastTransitionTime },
      { type: "Initialized", status: "True", lastTransitionTime },
      { type: "Ready", status: "False", lastTransitionTime, ...words },
      { type: "ContainersReady", status: "False", lastTransitionTime, ...words },
      { type: "PodScheduled", status: "True", lastTransitionTime },
    ]);
  });

  test("a readiness gate that nobody set is named", () => {
    const pod = aPod({ spec: { readinessGates: [{ conditionType: "example.com/in-service" }] } });
    expect(conditionsOf(pod, "")).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", reason: "ReadinessGatesNotReady" }),
    );
  });
});
