/** Where the kernel of a cgroup v1 node shall wake the agent (pkg/kubelet/eviction memory_threshold_notifier). Pure. */
import { quantityValue, thresholdQuantity } from "@hooklet/core/rules";
import { type NodeStatistics, podsCgroup } from "../statistics.js";
import { type EvictionThreshold, isHard } from "./threshold.js";

/**
 * The `memory.usage_in_bytes` at which a threshold of memory is crossed: capacity - threshold + inactive page cache.
 * Undefined when a number is missing.
 */
export function usageAtThreshold(threshold: EvictionThreshold, node: NodeStatistics): number | undefined {
  const memory = threshold.signal === "allocatableMemory.available" ? podsCgroup(node)?.memory : node.memory;
  const { availableBytes, workingSetBytes, usageBytes } = memory ?? {};
  if (availableBytes === undefined || workingSetBytes === undefined || usageBytes === undefined) return undefined;
  const capacity = availableBytes + workingSetBytes;
  const inactive = usageBytes - workingSetBytes;
  return capacity - quantityValue(thresholdQuantity(threshold.value, capacity)) + inactive;
}

export function notifierDescription(threshold: EvictionThreshold): string {
  const what = threshold.signal === "allocatableMemory.available" ? "allocatable memory" : "memory";
  return `${isHard(threshold) ? "hard" : "soft"} ${what} eviction threshold`;
}
