/** After an eviction: the next round waits until the pods have given back what they held. */
import { type Clock, sleep } from "@hooklet/core";

/** Seconds between two rounds when nobody was evicted: the kubelet's monitoring interval. */
export const MONITORING_INTERVAL_SECONDS = 10;
/** Seconds. */
const CLEANUP_TIMEOUT = 30;
const CLEANUP_POLL = 1;

/**
 * Resolves true when all are clean, asked every second, or false after 30 s. Rejects with the signal's reason.
 * @param look called before each question, for what has to be asked for
 */
export async function waitForCleanup<T>(
  clock: Clock,
  pods: readonly T[],
  isClean: (pod: T) => boolean,
  signal?: AbortSignal,
  look?: () => Promise<void>,
): Promise<boolean> {
  for (let waited = 0; waited < CLEANUP_TIMEOUT; waited += CLEANUP_POLL) {
    await sleep(clock, CLEANUP_POLL * 1000, signal);
    await look?.();
    if (pods.every(isClean)) return true;
  }
  return false;
}
