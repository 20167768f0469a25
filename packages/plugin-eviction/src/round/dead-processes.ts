/** Processes that are dead already are nobody's to give back. Pure. */
import type { Observations } from "../observations.js";
import { resourceOf } from "../signals.js";
import type { EvictionThreshold } from "../thresholds/threshold.js";
import { thresholdsMet } from "./thresholds-met.js";

/**
 * Would the threshold not be crossed without processes that have ended and wait for the machine's init? A pod of thousands leaves
 * them behind for as long as that takes, and the kubelet evicts others meanwhile.
 */
export function isMadeByTheDead(threshold: EvictionThreshold, observations: Observations, dead: number): boolean {
  const { signal } = threshold;
  const seen = resourceOf(signal) === "pids" ? observations.get(signal) : undefined;
  if (seen === undefined || dead === 0) return false;
  const reaped = new Map([[signal, { ...seen, available: seen.available + dead }]]);
  return thresholdsMet([threshold], reaped, { minReclaim: false }).length === 0;
}
