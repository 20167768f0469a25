import { describeStrategy } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  linear,
  MAX_SHARES,
  MAX_WEIGHT,
  MIN_SHARES,
  milliCpuToShares,
  quadratic,
} from "../../src/rules/resource-config.js";
import { checkWeights, weightsStrategies } from "../../src/weights.js";

describe.each([
  ["linear", linear],
  ["quadratic", quadratic],
] as const)("%s", (_, strategy) => {
  const shares = fc.integer({ min: MIN_SHARES, max: MAX_SHARES });

  test("weights are whole numbers from 1 to 10000", () => {
    fc.assert(
      fc.property(shares, (one) => {
        const weight = strategy(one);
        return Number.isInteger(weight) && weight >= 1 && weight <= MAX_WEIGHT;
      }),
    );
  });

  test("more shares never give less weight", () => {
    fc.assert(fc.property(shares, shares, (a, b) => strategy(Math.min(a, b)) <= strategy(Math.max(a, b))));
  });

  test("it passes the check of custom strategies", () => {
    expect(() => checkWeights(strategy, "it")).not.toThrow();
  });
});

test.each([
  { shares: 0, weight: 0 },
  { shares: 1, weight: 1 },
  { shares: MIN_SHARES, weight: 1 },
  { shares: 3, weight: 2 },
  { shares: 1024, weight: 100 },
  { shares: 100_000, weight: 4340 },
  { shares: MAX_SHARES, weight: MAX_WEIGHT },
  { shares: MAX_SHARES + 1, weight: MAX_WEIGHT },
])("quadratic, as new runtimes do it: $shares shares weigh $weight", ({ shares, weight }) => {
  expect(quadratic(shares)).toBe(weight);
});

test("shares are in range and monotone for any request", () => {
  const request = fc.integer({ min: -10, max: 1_000_000 });
  fc.assert(
    fc.property(request, request, (a, b) => {
      const [low, high] = [milliCpuToShares(Math.min(a, b)), milliCpuToShares(Math.max(a, b))];
      return low >= MIN_SHARES && high <= MAX_SHARES && low <= high;
    }),
  );
});

test.each([
  ["one that leaves the range", (shares: number) => shares],
  ["one that is no whole number", (shares: number) => 1 + shares / MAX_SHARES],
  ["one that falls", (shares: number) => (shares > 1000 ? 1 : 50)],
])("a custom strategy is refused: %s", (_, strategy) => {
  expect(() => checkWeights(strategy, "mine")).toThrow(/Strategy "mine" of option weights: expected/);
});

describeStrategy("weights", {
  table: weightsStrategies,
  inputs: { "the least": () => MIN_SHARES, "one core": () => 1024, "the most": () => MAX_SHARES },
  decide: (strategy, shares: number) => strategy(shares),
  legal: (weight) => {
    expect(weight).toBeGreaterThanOrEqual(1);
    expect(weight).toBeLessThanOrEqual(MAX_WEIGHT);
  },
});
