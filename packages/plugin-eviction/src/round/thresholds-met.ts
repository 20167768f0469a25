/** Which thresholds are crossed, since when, and which of them call for action (pkg/kubelet/eviction helpers). Pure. */
import { addQuantities, compareQuantities, quantityOf, thresholdQuantity } from "@hooklet/core/rules";
import type { Observations } from "../observations.js";
import type { EvictionThreshold } from "../thresholds/threshold.js";

/**
 * Those with less available than their value. A signal without observation crosses nothing.
 * @param minReclaim less than value and minimum reclaim together
 */
export function thresholdsMet(
  thresholds: readonly EvictionThreshold[],
  observations: Observations,
  { minReclaim }: { readonly minReclaim: boolean },
): readonly EvictionThreshold[] {
  return thresholds.filter((threshold) => {
    const seen = observations.get(threshold.signal);
    if (seen === undefined) return false;
    const value = thresholdQuantity(threshold.value, seen.capacity);
    const target =
      minReclaim && threshold.minReclaim !== undefined
        ? addQuantities(value, thresholdQuantity(threshold.minReclaim, seen.capacity))
        : value;
    return compareQuantities(target, quantityOf(seen.available)) > 0;
  });
}

/** Threshold -> when it was crossed, in milliseconds. */
export type MetSince = ReadonlyMap<EvictionThreshold, number>;

/** Crossed for the first time now, or since before; what is no longer crossed is forgotten. */
export function metSince(met: readonly EvictionThreshold[], before: MetSince, now: number): MetSince {
  return new Map(met.map((threshold) => [threshold, before.get(threshold) ?? now]));
}

/** Those that have been crossed for their grace period. */
export function dueThresholds(since: MetSince, now: number): readonly EvictionThreshold[] {
  return [...since].flatMap(([threshold, at]) => (now - at >= threshold.gracePeriodSeconds * 1000 ? [threshold] : []));
}

/** Those whose observation is newer than at the last round: nobody is evicted twice on the same numbers. */
export function withNewStatistics(
  thresholds: readonly EvictionThreshold[],
  observations: Observations,
  last: Observations,
): readonly EvictionThreshold[] {
  return thresholds.filter(({ signal }) => {
    const seen = observations.get(signal);
    if (seen === undefined) return false;
    const before = last.get(signal);
    return before === undefined || seen.time === undefined || seen.time > (before.time ?? Number.NEGATIVE_INFINITY);
  });
}
