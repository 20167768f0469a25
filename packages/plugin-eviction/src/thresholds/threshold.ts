/** One eviction threshold, and what can be said of it without looking at the node. Pure. */
import { compareQuantities, type Threshold as ThresholdValue } from "@hooklet/core/rules";
import type { Signal } from "../signals.js";

export type { ThresholdValue };

/** Crossed when less than `value` is available. The same object stands for the same threshold through all rounds. */
export interface EvictionThreshold {
  readonly signal: Signal;
  readonly value: ThresholdValue;
  /** Seconds for which it has to be crossed before a pod goes; 0 = a hard threshold. */
  readonly gracePeriodSeconds: number;
  /** Once acted on, what has to be free on top of `value` before it counts as left. */
  readonly minReclaim?: ThresholdValue;
}

/** A soft threshold with a grace period of 0s is a hard one too. */
export function isHard({ gracePeriodSeconds }: Pick<EvictionThreshold, "gracePeriodSeconds">): boolean {
  return gracePeriodSeconds === 0;
}

/** Are two values the same? An amount and a share never are. */
export function sameValue(a: ThresholdValue, b: ThresholdValue): boolean {
  if ("quantity" in a) return "quantity" in b && compareQuantities(a.quantity, b.quantity) === 0;
  return "percentage" in b && a.percentage === b.percentage;
}

/** Both lists, without those of `more` that say what one of `first` says; minimum reclaims play no part. */
export function mergeThresholds(
  first: readonly EvictionThreshold[],
  more: readonly EvictionThreshold[],
): readonly EvictionThreshold[] {
  const known = (one: EvictionThreshold): boolean =>
    first.some(
      (other) =>
        other.signal === one.signal &&
        other.gracePeriodSeconds === one.gracePeriodSeconds &&
        sameValue(other.value, one.value),
    );
  return [...first, ...more.filter((one) => !known(one))];
}
