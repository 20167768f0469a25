/** How long a victim has. Pure. */
import type { Pod } from "@hooklet/core";
import { type EvictionThreshold, isHard } from "../thresholds/threshold.js";

export const IMMEDIATE_GRACE_PERIOD_SECONDS = 1;

/**
 * Seconds, as the kubelet hands them to the kill: a hard threshold leaves one, a soft one what the pod wants, up to the configured
 * maximum. May be 0 or below.
 */
export function gracePeriodOverride(threshold: EvictionThreshold, pod: Pod, maxPodGracePeriodSeconds: number): number {
  if (isHard(threshold)) return IMMEDIATE_GRACE_PERIOD_SECONDS;
  return Math.min(maxPodGracePeriodSeconds, pod.spec.terminationGracePeriodSeconds ?? maxPodGracePeriodSeconds);
}

/** What the kill makes of it: at least one second, and never longer than a deletion under way leaves. */
export function effectiveGracePeriod(override: number, deletionGracePeriodSeconds: number | undefined): number {
  return Math.max(1, Math.min(override, deletionGracePeriodSeconds ?? override));
}
