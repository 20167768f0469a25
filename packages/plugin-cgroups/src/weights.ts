/** Strategy point `weights`: how cpu.shares become cpu.weight on cgroup v2. */
import { NodeAgentError, type StrategyTable } from "@hooklet/core";
import type { WeightsStrategy } from "./plan/setting.js";
import { linear, MAX_SHARES, MAX_WEIGHT, MIN_SHARES, quadratic } from "./rules/resource-config.js";

export const weightsStrategies: StrategyTable<WeightsStrategy> = {
  linear: {
    description: "the kubelet's: a straight line; one core is 39",
    options: (z) => z.strictObject({}),
    create: () => linear,
  },
  quadratic: {
    description: "what runc 1.3.2 and crun 1.23 use for containers; one core is 100, the kernel's default",
    options: (z) => z.strictObject({}),
    create: () => quadratic,
  },
};

/**
 * Tries a strategy over the whole range of shares.
 * @throws NodeAgentError when a weight is no whole number from 1 to 10000, or more shares give less weight
 */
export function checkWeights(strategy: WeightsStrategy, name: string): void {
  let [shares, weight] = [MIN_SHARES, 0];
  // About a thousand points, closer where shares are small: 4 milli-cores matter there.
  for (let next = MIN_SHARES; next <= MAX_SHARES; next = nextPoint(next)) {
    const found = strategy(next);
    if (!Number.isInteger(found) || found < 1 || found > MAX_WEIGHT) {
      throw new NodeAgentError(
        "INVALID",
        `Strategy "${name}" of option weights: expected a whole number from 1 to ${MAX_WEIGHT} for ${next} shares, found ${found}.`,
      );
    }
    if (found < weight) {
      throw new NodeAgentError(
        "INVALID",
        `Strategy "${name}" of option weights: expected at least ${weight} for ${next} shares, as for ${shares}, found ${found}.`,
      );
    }
    [shares, weight] = [next, found];
  }
}

function nextPoint(shares: number): number {
  return shares === MAX_SHARES ? shares + 1 : Math.min(MAX_SHARES, shares + Math.max(1, shares >> 7));
}
