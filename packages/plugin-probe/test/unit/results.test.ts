import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { actionOf, killMessage } from "../../src/results.js";

describe("the kill after a failed probe is reported as the kubelet does", () => {
  const pod = (restartPolicy?: "Always" | "Never") =>
    aPod({
      spec: {
        ...(restartPolicy && { restartPolicy }),
        initContainers: [{ name: "side", image: "app:1", restartPolicy: "Always" }],
      },
    });

  test.each([
    {
      name: "a container that comes back",
      of: pod("Always"),
      container: "main",
      text: "Container main failed liveness probe, will be restarted",
    },
    {
      name: "as is the default",
      of: pod(),
      container: "main",
      text: "Container main failed liveness probe, will be restarted",
    },
    { name: "one that does not", of: pod("Never"), container: "main", text: "Container main failed liveness probe" },
    { name: "a sidecar", of: pod("Always"), container: "side", text: "Init container side failed liveness probe" },
  ])("$name", ({ of, container, text }) => {
    expect(killMessage(of, container, "liveness")).toBe(text);
  });
});

test.each([
  { kind: "liveness", result: "failure", writesStatus: false, kill: true },
  { kind: "liveness", result: "success", writesStatus: false, kill: false },
  { kind: "readiness", result: "failure", writesStatus: true, kill: false },
  { kind: "startup", result: "failure", writesStatus: true, kill: true },
  { kind: "startup", result: "unknown", writesStatus: true, kill: false },
] as const)("a $kind probe that comes to $result: status $writesStatus, kill $kill", ({ kind, result, ...action }) => {
  expect(actionOf(kind, result)).toEqual(action);
});
