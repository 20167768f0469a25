/** Pure. */
import type { StrategyTable } from "@hooklet/core";
import { largestFirst } from "./largest-first.js";
import { lru } from "./lru.js";
import { lruSizeWeighted } from "./lru-size-weighted.js";
import type { OrderStrategy } from "./strategy.js";

const entry = (description: string, strategy: OrderStrategy): StrategyTable<OrderStrategy>[string] => ({
  description,
  options: (z) => z.strictObject({}),
  create: () => strategy,
});

/** The strategies of option `order`; the first is the default. */
export const orderStrategies: StrategyTable<OrderStrategy> = {
  lru: entry("By last use, then by first detection, as the kubelet", lru),
  "largest-first": entry("The largest images first, so that few go", largestFirst),
  "lru-size-weighted": entry("By time without use times size", lruSizeWeighted),
};
