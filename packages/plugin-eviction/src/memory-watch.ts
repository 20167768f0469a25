/** Watches memory between the rounds, so that an eviction comes before the kernel's OOM killer: when to read it, when to request a round. */
import type { Clock } from "@hooklet/core";
import { quantityValue, thresholdQuantity } from "@hooklet/core/rules";
import { type NodeStatistics, type Observations, observationsOf } from "./observations.js";
import { isMemorySignal, isStallSignal } from "./signals.js";
import { type EvictionThreshold, isHard, thresholdsMet } from "./thresholds.js";

/** Milliseconds after which a threshold that stays crossed requests another round. */
const AGAIN = 1000;
/** Bytes that a machine's processes can take in a millisecond: 8 GiB a second, more than the kernel can clear pages on many cores. */
const FASTEST = (8 * 1024 ** 3) / 1000;
/** Longest milliseconds between two reads, with any amount of memory left. */
const LONGEST_REST = 1000;

export interface WatchState {
  /** Crossed thresholds of memory -> when a round was requested, in milliseconds. */
  readonly asked: ReadonlyMap<EvictionThreshold, number>;
  /** Milliseconds: no threshold can be crossed before. */
  readonly restUntil: number;
}

export const unwatched: WatchState = { asked: new Map(), restUntil: Number.NEGATIVE_INFINITY };

/** The state after a pause: memory is not read for the longest rest. */
export function rested(state: WatchState, now: number): WatchState {
  return { ...state, restUntil: now + LONGEST_REST };
}

/**
 * Is a round needed now? One is when a threshold of memory has just been crossed, and again every second while a hard one stays
 * crossed; a soft one that stays crossed is the rounds' own business. Far from all thresholds there is a rest of up to a second.
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
  return { state: { asked, restUntil: now + restOf(ofMemory, observations) }, round };
}

/** Milliseconds in which nothing that is not crossed can be, however fast memory goes. Without numbers there is no hurry either. */
function restOf(thresholds: readonly EvictionThreshold[], observations: Observations): number {
  let rest = LONGEST_REST;
  for (const { signal, value } of thresholds) {
    const seen = isStallSignal(signal) ? undefined : observations.get(signal);
    if (seen === undefined) continue;
    const left = seen.available - quantityValue(thresholdQuantity(value, seen.capacity));
    if (left >= 0) rest = Math.min(rest, left / FASTEST);
  }
  return rest;
}

export interface MemoryWatchParts {
  readonly clock: Pick<Clock, "monotonic">;
  thresholds(): readonly EvictionThreshold[];
  /** @throws Error when a file cannot be read */
  read(): NodeStatistics;
  /** A round is needed now. The watch does not wait for it: rounds may take longer than a read, and have their own watchdog. */
  crossed(): void;
}

/** The watch on a real node: reads memory from open files and requests rounds. */
export class MemoryWatch {
  #state = unwatched;

  constructor(private readonly parts: MemoryWatchParts) {}

  /** @throws Error when memory cannot be read; it is read again after the longest rest */
  look(): void {
    const { clock, thresholds, read, crossed } = this.parts;
    const now = clock.monotonic();
    if (now < this.#state.restUntil) return;
    this.#state = rested(this.#state, now);
    const looked = watchMemory(this.#state, thresholds(), observationsOf(read()), now);
    this.#state = looked.state;
    if (looked.round) crossed();
  }
}
