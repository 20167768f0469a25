/** Pure. */
import type { StrategyTable } from "@hooklet/core";
import type { RankingStrategy } from "../strategy.js";
import { kubelet } from "./kubelet.js";
import { largestUsage } from "./largest-usage.js";
import { lowestPriorityFirst } from "./lowest-priority-first.js";

const entry = (description: string, strategy: RankingStrategy): StrategyTable<RankingStrategy>[string] => ({
  description,
  options: (z) => z.strictObject({}),
  create: () => strategy,
});

/** The strategies of option `ranking`; the first is the default. */
export const rankingStrategies: StrategyTable<RankingStrategy> = {
  kubelet: entry("Over its request first, then lower priority, then furthest over its request", kubelet),
  "lowest-priority-first": entry("Lower priority first, over its request or not", lowestPriorityFirst),
  "largest-usage": entry("Whoever uses most, whatever it asked for", largestUsage),
};
