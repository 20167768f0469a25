/** Which thresholds of disks will be crossed soon when what is available goes on falling as it did since the last look. Pure. */
import { quantityValue, thresholdQuantity } from "@hooklet/core/rules";
import type { Observations } from "../observations.js";
import { isDiskSignal } from "../signals.js";
import type { EvictionThreshold } from "../thresholds/threshold.js";

/**
 * Those not crossed yet that a straight line through both observations crosses within `seconds`. Observations without times, or of
 * the same time, tell nothing.
 */
export function crossedWithin(
  thresholds: readonly EvictionThreshold[],
  before: Observations,
  now: Observations,
  seconds: number,
): readonly EvictionThreshold[] {
  return thresholds.filter(({ signal, value }) => {
    if (!isDiskSignal(signal)) return false;
    const [first, last] = [before.get(signal), now.get(signal)];
    if (first?.time === undefined || last?.time === undefined || last.time <= first.time) return false;
    const fall = (first.available - last.available) / (last.time - first.time);
    const left = last.available - quantityValue(thresholdQuantity(value, last.capacity));
    return fall > 0 && left >= 0 && left < fall * seconds * 1000;
  });
}
