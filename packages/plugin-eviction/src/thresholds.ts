/** Eviction thresholds: which are crossed, since when, the one that a round acts on, and those derived from the disks' layout. Pure. */
import {
  addQuantities,
  compareQuantities,
  quantityOf,
  type Threshold as ThresholdValue,
  thresholdQuantity,
} from "@hooklet/core/rules";
import { type DiskLayout, isDedicated, isOneDisk, isSplit } from "./layout.js";
import type { Observations } from "./observations.js";
import { isMemorySignal, resourceOf, type Signal, signalPosition } from "./signals.js";

export type { ThresholdValue };

/** Crossed when less than `value` is available. One object is the same threshold through all rounds. */
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

/** Thresholds whose observation is newer than at the last round: the same numbers never cause two evictions. */
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

/**
 * Thresholds in the order in which they are dealt with; the first is the one. Memory before all others, as in the kubelet; where
 * that leaves it to chance: hard before soft, then the order of the signals.
 */
export function byUrgency(thresholds: readonly EvictionThreshold[]): readonly EvictionThreshold[] {
  const key = (threshold: EvictionThreshold): number =>
    (isMemorySignal(threshold.signal) ? 0 : 1000) + (isHard(threshold) ? 0 : 100) + signalPosition(threshold.signal);
  return [...thresholds].sort((a, b) => key(a) - key(b));
}

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

/** Thresholds of containerfs are never set by hand: they follow the disk that the writable layers lie on. */
export interface DerivedThresholds {
  readonly thresholds: readonly EvictionThreshold[];
  /** Thresholds that were not configured. */
  readonly added: readonly EvictionThreshold[];
  /** The kubelet's text about a setting that was replaced, the last one where there were several. */
  readonly replaced?: string;
}

const PARTS = ["available", "inodesFree"] as const;

/** Adds the thresholds of containerfs: copies of those of nodefs (one disk, split) or imagefs (dedicated); own ones make way for them. */
export function withContainerFs(thresholds: readonly EvictionThreshold[], layout: DiskLayout): DerivedThresholds {
  const replaced = thresholds.filter(({ signal }) => signal.startsWith("containerfs.")).at(-1);
  const text = replaced && `found ${replaced.signal} for ${isHard(replaced) ? "hard" : "soft"} eviction. ignoring`;
  return { ...derived(thresholds, layout), ...(text === undefined ? {} : { replaced: text }) };
}

function derived(
  thresholds: readonly EvictionThreshold[],
  layout: DiskLayout,
): Pick<DerivedThresholds, "thresholds" | "added"> {
  const follows = followed(layout);
  if (follows === undefined) return { thresholds, added: [] };
  const kept: (EvictionThreshold | undefined)[] = [...thresholds];
  const added: EvictionThreshold[] = [];
  for (const part of PARTS) {
    for (const hard of [true, false]) {
      const source = lastOf(thresholds, `${follows}.${part}`, hard);
      const copy: EvictionThreshold | undefined = source && { ...source, signal: `containerfs.${part}` };
      const own = lastOf(thresholds, `containerfs.${part}`, hard);
      if (own !== undefined) kept[thresholds.indexOf(own)] = copy;
      else if (copy !== undefined) added.push(copy);
    }
  }
  return { thresholds: [...kept.filter((one) => one !== undefined), ...added], added };
}

function followed(layout: DiskLayout): "nodefs" | "imagefs" | undefined {
  if (isOneDisk(layout) || isSplit(layout)) return "nodefs";
  return isDedicated(layout) ? "imagefs" : undefined;
}

function lastOf(
  thresholds: readonly EvictionThreshold[],
  signal: Signal,
  hard: boolean,
): EvictionThreshold | undefined {
  return thresholds.filter((one) => one.signal === signal && isHard(one) === hard).at(-1);
}
