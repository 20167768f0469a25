/**
 * memory.high from pressure (own; after the idea of senpai): a pod that does not miss memory gives back what it does not use, until
 * it begins to wait for it. Pure.
 */
import { allContainers, type Pod } from "@hooklet/core";
import { podLimits, podRequests } from "@hooklet/core/rules";

/** Shares of what is in use. */
const LOWER_BY = 0.02;
const RAISE_BY = 0.1;

export interface HighInput {
  /** Bytes in use. */
  readonly current: number;
  /** Bytes; Infinity: none is set. */
  readonly high: number;
  /** Bytes: the pod's request, which the rule never goes below. */
  readonly floor: number;
  /** Bytes: from here on memory.high says nothing. */
  readonly ceiling: number;
  /** Percent of the last ten seconds in which some process waited for memory. */
  readonly pressure: number;
  /** Percent that is wanted. */
  readonly target: number;
  /** Bytes. */
  readonly pageSize: number;
}

/** The next memory.high in bytes; Infinity = none. Above the target it goes up by a tenth at once, below half of it down in small steps. */
export function nextHigh({ current, high, floor, ceiling, pressure, target, pageSize }: HighInput): number {
  const bounded = (bytes: number): number => {
    const pages = Math.floor(Math.max(floor, bytes) / pageSize) * pageSize;
    return pages >= ceiling ? Number.POSITIVE_INFINITY : pages;
  };
  if (pressure > target) return bounded(Math.max(current, Number.isFinite(high) ? high : ceiling) * (1 + RAISE_BY));
  if (pressure >= target / 2) return high;
  return bounded(Math.min(high, current * (1 - LOWER_BY)));
}

/** Between which amounts (bytes) a pod's memory.high may move; undefined: it says nothing of what it needs, or has just that. */
export function highRange(
  pod: Pod,
  allocatableMemory: number,
): { readonly floor: number; readonly ceiling: number } | undefined {
  const floor = podRequests(pod).memory ?? 0;
  const unlimited = allContainers(pod).some(({ resources }) => resources?.limits?.memory === undefined);
  const limit = unlimited ? 0 : (podLimits(pod).memory ?? 0);
  const ceiling = limit > 0 ? limit : allocatableMemory;
  return floor > 0 && floor < ceiling ? { floor, ceiling } : undefined;
}

/** `some avg10` of a memory.pressure; undefined where the kernel has none. */
export function somePressure(text: string | undefined): number | undefined {
  const found = /^some avg10=(\d+(?:\.\d+)?)/m.exec(text ?? "")?.[1];
  return found === undefined ? undefined : Number(found);
}
