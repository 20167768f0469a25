import { expect, test } from "@jest/globals";
import { choiceDecision } from "../src/explain.js";
import { devices, GPU, podOf } from "./devices.js";

test("a decision stays small, however many devices there are and however long their ids", () => {
  const pod = podOf("p", [{ gpus: 60 }]);
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error("no container");
  const candidates = devices(10_000).map(({ id, nodes, health }) => ({
    id: `${id}${"x".repeat(10_240)}`,
    nodes,
    health,
    place: "no-topology" as const,
  }));
  const ids = candidates.slice(0, 60).map(({ id }) => id);
  const input = {
    pod,
    container,
    resource: GPU,
    size: 60,
    candidates,
    mustInclude: [],
    affinity: undefined,
    canAsk: false,
    preferred: undefined,
  };
  const decision = choiceDecision({ input, ids, violation: undefined }, "kubelet");
  expect(JSON.stringify(decision).length).toBeLessThan(20_000);
  expect(decision.outcome).toMatch(/^vendor\.example\/gpu: gpu-0x+\.\.\., .* and 10 more$/);
  expect(decision.considered.at(-1)).toEqual({
    candidate: "9950 more devices",
    verdict: "not shown",
    why: "more than 50",
  });
});
