import { describe, expect, test } from "@jest/globals";
import { containerSwap, type SwapRule, swapShare } from "../../../src/rules/swap.js";
import { type Amounts, aPod, both, GIB } from "../world.js";

const rule = {
  cgroupVersion: "v2",
  nodeSwap: true,
  swapBehavior: "LimitedSwap",
  swapControllerAvailable: true,
  memoryCapacity: 8 * GIB,
  swapCapacity: 4 * GIB,
} as SwapRule;
const half: Amounts = { requests: { memory: "4Gi" }, limits: { memory: "6Gi" } };

/** Of the first container. */
function swap(containers: readonly Amounts[], change: Partial<SwapRule> = {}, spec: object = {}): number | undefined {
  const pod = aPod("web", containers, spec);
  const [first] = pod.spec.containers;
  return first && containerSwap(pod, first, { ...rule, ...change });
}

test("a container has as much of the swap as it asks for of the memory", () => {
  expect(swap([half])).toBe(2 * GIB);
  expect(swap([{ requests: { memory: "8Gi" } }])).toBe(4 * GIB);
});

test("nothing is set where the kernel cannot limit it", () => {
  expect(swap([half], { swapControllerAvailable: false })).toBeUndefined();
});

describe("no swap has", () => {
  test.each<[string, readonly Amounts[], Partial<SwapRule>, object]>([
    ["a container on cgroup v1", [half], { cgroupVersion: "v1" }, {}],
    ["a container without the gate", [half], { nodeSwap: false }, {}],
    ["a container without LimitedSwap", [half], { swapBehavior: "" }, {}],
    ["a critical pod", [half], {}, { priority: 2_000_000_000 }],
    ["a Guaranteed pod", [both({ cpu: "1", memory: "4Gi" })], {}, {}],
    ["a BestEffort pod", [{}], {}, {}],
    ["a container that asks for no memory", [{ requests: { cpu: "1" } }], {}, {}],
    ["a container that says nothing beside one that does", [{}, half], {}, {}],
    ["a container that is limited to what it asks for", [both({ memory: "4Gi" })], {}, {}],
    ["a container that asks for more than there is", [{ requests: { memory: "9Gi" } }], {}, {}],
    ["a machine without known memory", [half], { memoryCapacity: 0 }, {}],
  ])("%s", (_, containers, change, spec) => {
    expect(swap(containers, change, spec)).toBe(0);
  });
});

test("a share of no memory, or of less than is asked for, is an error", () => {
  expect(() => swapShare(1, 0, 1)).toThrow("total node memory is 0");
  expect(() => swapShare(2, 1, 1)).toThrow("container request 2 is larger than total node memory 1");
  expect(swapShare(1, 3, 10)).toBe(3);
});
