import { quantityValue, thresholdQuantity } from "@hooklet/core/rules";
import { type EvictionThreshold, isHard, type NodeStatistics, podsCgroup } from "@hooklet/plugin-eviction/internal";
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

/**
 * The `memory.usage_in_bytes` at which a threshold of memory is crossed (pkg/kubelet/eviction memory_threshold_notifier): capacity -
 * threshold + inactive page cache; undefined when a number is missing. hooklet asks no cgroup v1 to wake it: the rule is the
 * adapter's own, but for what of a threshold and of the statistics counts.
 */
function usageAtThreshold(threshold: EvictionThreshold, node: NodeStatistics): number | undefined {
  const memory = threshold.signal === "allocatableMemory.available" ? podsCgroup(node)?.memory : node.memory;
  const { availableBytes, workingSetBytes, usageBytes } = memory ?? {};
  if (availableBytes === undefined || workingSetBytes === undefined || usageBytes === undefined) return undefined;
  const capacity = availableBytes + workingSetBytes;
  const inactive = usageBytes - workingSetBytes;
  return capacity - quantityValue(thresholdQuantity(threshold.value, capacity)) + inactive;
}

function notifierDescription(threshold: EvictionThreshold): string {
  const what = threshold.signal === "allocatableMemory.available" ? "allocatable memory" : "memory";
  return `${isHard(threshold) ? "hard" : "soft"} ${what} eviction threshold`;
}
