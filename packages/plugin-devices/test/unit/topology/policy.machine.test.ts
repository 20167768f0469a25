import { describe, expect, test } from "@jest/globals";
import { isNarrower, maskOf, nodesOf, sizeOf, subsets } from "../../../src/topology/merge.js";
import { numaNodes, policyFault } from "../../../src/topology/policy.js";

describe("the machine's NUMA nodes", () => {
  test.each([
    { name: "ascending by number", folders: ["node10", "node2", "node0", "power", "has_cpu"], nodes: [0, 2, 10] },
    { name: "node 0 where sysfs tells of none", folders: [], nodes: [0] },
    { name: "not what only looks like one", folders: ["node1", "node", "xnode2", "node3x", "node12345"], nodes: [1] },
  ])("$name", ({ folders, nodes }) => {
    const asked: string[] = [];
    const directories = (path: string) => {
      asked.push(path);
      return folders;
    };
    expect(numaNodes({ directories })).toEqual(nodes);
    expect(asked).toEqual(["/sys/devices/system/node"]);
  });

  test("more than eight have too many sets: only the policy none can be kept", () => {
    const nodes = (count: number) => Array.from({ length: count }, (_, node) => node);
    expect(policyFault("restricted", nodes(8))).toBeUndefined();
    expect(policyFault("none", nodes(9))).toBeUndefined();
    expect(policyFault("restricted", nodes(9))).toBe(
      "topologyManagerPolicy restricted: expected at most 8 NUMA nodes, found 9; use none",
    );
  });
});

describe("sets of nodes", () => {
  const nodes = [0, 2, 5];

  test("are bits over the nodes that there are; others are left out", () => {
    expect([maskOf([5, 0], nodes), maskOf([1, 2], nodes), maskOf([], nodes)]).toEqual([0b101, 0b010, 0]);
    expect(nodesOf(0b101, nodes)).toEqual([0, 5]);
    expect([sizeOf(0), sizeOf(0b1011)]).toEqual([0, 3]);
  });

  test("small ones come first, of one size those of lower nodes; the empty one is none", () => {
    expect(subsets(3)).toEqual([0b001, 0b010, 0b100, 0b011, 0b101, 0b110, 0b111]);
    expect(subsets(0)).toEqual([]);
  });

  test("a narrower one has fewer nodes, or as many lower ones", () => {
    expect([isNarrower(0b100, 0b011), isNarrower(0b001, 0b010), isNarrower(0b010, 0b001), isNarrower(1, 1)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
