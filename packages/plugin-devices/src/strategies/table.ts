/** Pure. */
import type { StrategyTable } from "@hooklet/core";
import { kubelet } from "./kubelet.js";
import { numaPacked } from "./numa-packed.js";
import { spread } from "./spread.js";
import type { AllocationStrategy } from "./strategy.js";

const entry = (description: string, strategy: AllocationStrategy): StrategyTable<AllocationStrategy>[string] => ({
  description,
  options: (z) => z.strictObject({}),
  create: () => strategy,
});

/** The strategies of option `allocation`; the first is the default. */
export const allocationStrategies: StrategyTable<AllocationStrategy> = {
  kubelet: entry(
    "The pod's reusable devices, then what the device plugin prefers, then by natural order of id",
    kubelet,
  ),
  "numa-packed": entry("From as few NUMA nodes as can be, the fullest that fits first", numaPacked),
  spread: entry("Evenly over the NUMA nodes", spread),
};
