import { availableText, type NodeStatistics, observationsOf } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { checkedNode, only } from "./eviction.js";

export const adapter: Adapter<{ readonly node: NodeStatistics }> = {
  run(input) {
    const observations = observationsOf(checkedNode(only("input", input, "node").node));
    const signals = [...observations].map(([signal, seen]) => {
      const { available, capacity, time } = seen;
      // Written as the vectors write it: without milliseconds.
      const at = time === undefined ? {} : { time: new Date(time).toISOString().replace(".000Z", "Z") };
      return [signal, { available, capacity, availableText: availableText(signal, seen), ...at }];
    });
    return { signals: Object.fromEntries(signals) };
  },
};
