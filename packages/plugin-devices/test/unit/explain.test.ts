import { describe, expect, test } from "@jest/globals";
import { choiceDecision } from "../../src/explain.js";
import type { Candidate } from "../../src/strategies/allocation.js";
import { devices, GPU, podOf } from "../devices.js";

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

describe("`hooklet explain` of a choice", () => {
  const pod = podOf("p", [{ gpus: 2 }]);
  const candidate = (id: string, nodes: readonly number[], place: Candidate["place"]): Candidate => ({
    id,
    nodes,
    health: "Healthy",
    place,
  });
  const input = {
    pod,
    container: { name: "c0" },
    resource: GPU,
    size: 2,
    candidates: [
      candidate("a", [0], "unaligned"),
      candidate("b", [1, 2], "aligned"),
      candidate("c", [], "no-topology"),
      candidate("r", [1], "reusable"),
    ],
    mustInclude: ["r"],
    affinity: [1, 3],
    canAsk: true,
    preferred: ["b", "c"],
  };

  test("what was taken comes first, each with where it lies and why it might be", () => {
    expect(choiceDecision({ input, ids: ["r", "b"], violation: undefined }, "kubelet")).toEqual({
      strategy: "kubelet",
      subject: "container/default/p/c0",
      considered: [
        {
          candidate: `device/${GPU}/b`,
          verdict: "taken",
          why: "NUMA node 1,2; among the chosen nodes 1,3; preferred by the plugin",
        },
        { candidate: `device/${GPU}/r`, verdict: "taken", why: "NUMA node 1; from an init container of the pod" },
        { candidate: `device/${GPU}/a`, verdict: "free", why: "NUMA node 0; off the chosen nodes 1,3" },
        { candidate: `device/${GPU}/c`, verdict: "free", why: "no topology; preferred by the plugin" },
      ],
      outcome: `${GPU}: r, b`,
    });
  });

  test("a strategy with an unusable result is reported", () => {
    const { outcome } = choiceDecision({ input, ids: ["r"], violation: "chose 1 devices, expected 2" }, "mine");
    expect(outcome).toBe(`${GPU}: r; the strategy chose 1 devices, expected 2, so the kubelet's choice was taken`);
  });

  test("fifty rows are shown, and fifty ids", () => {
    const many = (count: number) => ({
      ...input,
      candidates: Array.from({ length: count }, (_, index) => candidate(`d${index}`, [], "no-topology" as const)),
    });
    const rows = (count: number) =>
      choiceDecision({ input: many(count), ids: ["d3"], violation: undefined }, "x").considered;
    expect([rows(50).length, rows(51).length, rows(51).at(-1)?.candidate]).toEqual([50, 51, "1 more devices"]);
    const ids = (count: number) => many(count).candidates.map(({ id }) => id);
    const outcome = (count: number) =>
      choiceDecision({ input: many(count), ids: ids(count), violation: undefined }, "x").outcome;
    expect(outcome(50)).not.toContain("more");
    expect(outcome(51)).toMatch(/, d49 and 1 more$/);
  });

  test("an id of 120 letters is shown whole", () => {
    const long = (length: number) => "x".repeat(length);
    const outcome = (id: string) =>
      choiceDecision({ input: { ...input, candidates: [] }, ids: [id], violation: undefined }, "x").outcome;
    expect(outcome(long(120))).toBe(`${GPU}: ${long(120)}`);
    expect(outcome(long(121))).toBe(`${GPU}: ${long(117)}...`);
  });
});
