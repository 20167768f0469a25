/** The one threshold of a round that is dealt with. Pure. */
import { isMemorySignal, signalPosition } from "../signals.js";
import { type EvictionThreshold, isHard } from "../thresholds/threshold.js";

/**
 * Thresholds in the order in which they are dealt with; the first is the one. Memory before all others, as in the kubelet; where
 * that leaves it to chance: hard before soft, then the order of the signals.
 */
export function byUrgency(thresholds: readonly EvictionThreshold[]): readonly EvictionThreshold[] {
  const key = (threshold: EvictionThreshold): number =>
    (isMemorySignal(threshold.signal) ? 0 : 1000) + (isHard(threshold) ? 0 : 100) + signalPosition(threshold.signal);
  return [...thresholds].sort((a, b) => key(a) - key(b));
}
