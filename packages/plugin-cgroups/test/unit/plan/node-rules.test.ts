/** What the options and the machine make the rules. */
import { parseList } from "@hooklet/core/rules";
import { describe, expect, test } from "@jest/globals";
import { aNode, GIB } from "../world.js";

describe("the node's rules", () => {
  test.each([
    { version: "v1", option: null, single: true },
    { version: "v2", option: null, single: false },
    { version: "v1", option: false, single: false },
    { version: "v2", option: true, single: true },
  ] as const)("on $version with singleProcessOOMKill $option one process alone is killed: $single", (one) => {
    expect(aNode({ singleProcessOOMKill: one.option }, { version: one.version }).container.singleProcessOOMKill).toBe(
      one.single,
    );
  });

  test("enforceNodeAllocatable none enforces nothing", () => {
    expect(aNode({ enforceNodeAllocatable: ["none"] }).enforce).toEqual([]);
    expect(aNode({ enforceNodeAllocatable: ["pods", "kube-reserved"] }).enforce).toEqual(["pods", "kube-reserved"]);
  });

  test("a machine of unknown memory has none to allocate", () => {
    expect(aNode({}, { capacity: parseList({ cpu: "2" }) })).toMatchObject({ allocatableMemory: 0 });
    expect(aNode({}).allocatableMemory).toBe(8 * GIB);
  });

  test.each([
    {
      name: "v2 with a factor",
      options: { memoryThrottlingFactor: 0.9, memoryReservationPolicy: "None" },
      version: "v2",
      has: true,
    },
    { name: "v1", options: {}, version: "v1", has: false },
    {
      name: "v2 with neither factor nor policy",
      options: { memoryThrottlingFactor: null, memoryReservationPolicy: "None" },
      version: "v2",
      has: false,
    },
    { name: "v2 with a policy alone", options: { memoryThrottlingFactor: null }, version: "v2", has: true },
  ] as const)("memory is protected and slowed down on $name: $has", ({ options, version, has }) => {
    const found = aNode({ memoryReservationPolicy: "TieredReservation", ...options }, { version });
    expect([found.memoryPolicy !== undefined, found.container.memoryQos !== undefined]).toEqual([has, has]);
  });

  test("are those of another version of cgroups where the option says so", () => {
    const node = aNode({ podPidsLimit: 7 }, { version: "v1" });
    expect(node.as("v2")).toMatchObject({ version: "v2", pod: { podPidsLimit: 7 } });
  });
});
