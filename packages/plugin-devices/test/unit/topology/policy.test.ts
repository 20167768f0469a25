import type { ResourceHints } from "@hooklet/core/subsystem";
import { describe, expect, test } from "@jest/globals";
import { align, type TopologyPolicy } from "../../../src/topology/policy.js";

const on = (nodes: readonly number[], preferred: boolean) => ({ nodes, preferred });
const eitherNode = [on([0], true), on([1], true), on([0, 1], false)];
const bothNodes = [on([0, 1], false)];
const hints = (...lists: ResourceHints[]): ReadonlyMap<string, ResourceHints> =>
  new Map(lists.map((list, index) => [`vendor.example/r${index}`, list]));

describe("policies of the topology manager on two NUMA nodes", () => {
  test.each<{
    name: string;
    hints: ReadonlyMap<string, ResourceHints>;
    expected: Partial<Record<TopologyPolicy, readonly [admit: boolean, nodes: readonly number[] | undefined]>>;
  }>([
    {
      name: "no device resource: every policy admits",
      hints: hints(),
      expected: {
        none: [true, undefined],
        "best-effort": [true, [0, 1]],
        restricted: [true, [0, 1]],
        "single-numa-node": [true, undefined],
      },
    },
    {
      name: "fits on either node: the lower one",
      hints: hints(eitherNode),
      expected: { "best-effort": [true, [0]], restricted: [true, [0]], "single-numa-node": [true, [0]] },
    },
    {
      name: "only across both nodes, where one could hold it when empty",
      hints: hints(bothNodes),
      expected: { "best-effort": [true, [0, 1]], restricted: [false, [0, 1]], "single-numa-node": [false, undefined] },
    },
    {
      name: "needs both nodes by its size: preferred, but not single",
      hints: hints([on([0, 1], true)]),
      expected: { "best-effort": [true, [0, 1]], restricted: [true, [0, 1]], "single-numa-node": [false, undefined] },
    },
    {
      name: "two resources with one node in common",
      hints: hints([on([0], true), on([1], true)], [on([1], true), on([0, 1], false)]),
      expected: { "best-effort": [true, [1]], restricted: [true, [1]], "single-numa-node": [true, [1]] },
    },
    {
      name: "two resources on different nodes",
      hints: hints([on([0], true)], [on([1], true)]),
      expected: { "best-effort": [true, [0, 1]], restricted: [false, [0, 1]], "single-numa-node": [false, undefined] },
    },
    {
      name: "a resource without topology does not matter",
      hints: hints(null, eitherNode),
      expected: { "best-effort": [true, [0]], restricted: [true, [0]], "single-numa-node": [true, [0]] },
    },
    {
      name: "a resource that cannot be given at all",
      hints: hints([], eitherNode),
      expected: {
        none: [true, undefined],
        "best-effort": [true, [0]],
        restricted: [false, [0]],
        "single-numa-node": [false, undefined],
      },
    },
  ])("$name", ({ hints: given, expected }) => {
    for (const [policy, [admit, affinity]] of Object.entries(expected)) {
      expect({ policy, ...align(policy as TopologyPolicy, () => [given], [0, 1]) }).toEqual({
        policy,
        admit,
        affinity,
      });
    }
  });

  test("CPUs and devices meet on the node that both can give, and a provider that is asked for nothing does not matter", () => {
    const devices = hints(eitherNode);
    const cpus = new Map([["cpu", [on([1], true), on([0, 1], false)]]]);
    const memory = new Map<string, ResourceHints>();
    for (const policy of ["best-effort", "restricted", "single-numa-node"] as const) {
      expect(align(policy, () => [devices, cpus, memory], [0, 1])).toEqual({ admit: true, affinity: [1] });
    }
  });

  test("policy none asks no provider for hints", () => {
    const asked = (): never => {
      throw new Error("asked");
    };
    expect(align("none", asked, [0, 1])).toEqual({ admit: true, affinity: undefined });
  });
});
