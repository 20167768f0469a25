import { type NodeStatistics, notifierDescription, usageAtThreshold } from "@hooklet/plugin-eviction";
import type { Adapter } from "../adapter.js";
import { checkedNode, only, type RawThreshold, toThreshold } from "./eviction.js";

export const adapter: Adapter<{ readonly threshold: RawThreshold; readonly node: NodeStatistics }> = {
  run(input) {
    const threshold = toThreshold(only("input", input, "threshold", "node").threshold);
    const usageThresholdBytes = usageAtThreshold(threshold, checkedNode(input.node));
    const description = notifierDescription(threshold);
    return usageThresholdBytes === undefined ? { failed: true, description } : { usageThresholdBytes, description };
  },
};
