import type { NodeFacts, Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { resizeRefusal } from "../../../src/resize/resize-rules.js";
import { aPod, both, GIB } from "../world.js";

const allocatable = { cpu: 4000, memory: 8 * GIB, pods: 110 };
const node = { name: "node1", labels: {}, taints: [], capacity: allocatable, allocatable } as unknown as NodeFacts;
const asking = (cpu: string, memory = "1Gi", name = "a"): Pod => aPod(name, [{ requests: { cpu, memory } }]);
const refusal = (pod: Pod, others: readonly Pod[] = [], staticCpus = false) =>
  resizeRefusal(pod, { node, others, staticCpus });

describe("a resize", () => {
  test.each([
    { name: "that fits is done", pod: asking("2") },
    { name: "that takes the whole node is done", pod: asking("4", "8Gi") },
  ])("$name", ({ pod }) => {
    expect(refusal(pod)).toBeUndefined();
  });

  test.each([
    {
      name: "of more cpu than the node has",
      pod: asking("5"),
      message: "Node didn't have enough capacity: cpu, requested: 5000, capacity: 4000",
    },
    {
      name: "of more memory than the node has",
      pod: asking("1", "9Gi"),
      message: `Node didn't have enough capacity: memory, requested: ${9 * GIB}, capacity: ${8 * GIB}`,
    },
    {
      name: "of more of both, memory first as in the kubelet",
      pod: asking("5", "9Gi"),
      message: `Node didn't have enough capacity: memory, requested: ${9 * GIB}, capacity: ${8 * GIB}`,
    },
  ])("$name is infeasible: it could never be", ({ pod, message }) => {
    expect(refusal(pod)).toEqual({ reason: "Infeasible", message });
  });

  test("that does not fit next to the others is deferred, with what is short", () => {
    const found = refusal(asking("3"), [asking("2", "1Gi", "b")]);
    expect(found?.reason).toBe("Deferred");
    expect(found?.message).toContain("cpu");
    expect(refusal(asking("2"), [asking("2", "1Gi", "b")])).toBeUndefined();
  });

  test("of a Guaranteed pod beside static CPUs is infeasible; of any other pod it is not", () => {
    const guaranteed = aPod("a", [both({ cpu: "1", memory: "1Gi" })]);
    expect(refusal(guaranteed, [], true)).toEqual({
      reason: "Infeasible",
      message: "Resize is infeasible for Guaranteed Pods alongside CPU Manager static policy",
    });
    expect(refusal(guaranteed)).toBeUndefined();
    expect(refusal(asking("1"), [], true)).toBeUndefined();
  });
});
