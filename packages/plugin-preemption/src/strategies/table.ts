/** Pure. */
import type { StrategyTable } from "@hooklet/core";
import type { VictimsStrategy } from "../strategy.js";
import { kubelet } from "./kubelet.js";
import { leastDisruption } from "./least-disruption.js";
import { lowestPriorityFirst } from "./lowest-priority-first.js";

const entry = (description: string, strategy: VictimsStrategy): StrategyTable<VictimsStrategy>[string] => ({
  description,
  options: (z) => z.strictObject({}),
  create: () => strategy,
});

/** The strategies of option `victims`; the first is the default. */
export const victimsStrategies: StrategyTable<VictimsStrategy> = {
  kubelet: entry("BestEffort, then Burstable, then Guaranteed pods; within a class the nearest first", kubelet),
  "lowest-priority-first": entry("Pods of low priority first, within and across QoS classes", lowestPriorityFirst),
  "least-disruption": entry("Pods that end anyway first, long-running ones last, as few as possible", leastDisruption),
};
