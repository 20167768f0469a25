/** Looks at memory between the rounds, so that an eviction comes before the kernel's OOM killer. */
import type { Observations } from "../observations.js";
import { thresholdsMet } from "../round/thresholds-met.js";
import { isMemorySignal } from "../signals.js";
import { type EvictionThreshold, isHard } from "../thresholds/threshold.js";

/** Milliseconds: a threshold that stays crossed asks for a round again after so long. */
const AGAIN = 1000;

export interface WatchState {
  /** Threshold of memory -> when a round was asked for, in milliseconds. Those not crossed are not there. */
  readonly asked: ReadonlyMap<EvictionThreshold, number>;
}

export const unwatched: WatchState = { asked: new Map() };

/**
 * Is a round needed now? One is when a threshold of memory has just been crossed, and again every second while a hard one stays
 * crossed; a soft one that stays crossed is the rounds' own business.
 */
export function watchMemory(
  state: WatchState,
  thresholds: readonly EvictionThreshold[],
  observations: Observations,
  now: number,
): { readonly state: WatchState; readonly round: boolean } {
  const ofMemory = thresholds.filter(({ signal }) => isMemorySignal(signal));
  const asked = new Map<EvictionThreshold, number>();
  let round = false;
  for (const threshold of thresholdsMet(ofMemory, observations, { minReclaim: false })) {
    const before = state.asked.get(threshold);
    const asks = before === undefined || (isHard(threshold) && now - before >= AGAIN);
    asked.set(threshold, asks ? now : before);
    round ||= asks;
  }
  return { state: { asked }, round };
}
