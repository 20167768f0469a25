/** Thresholds of stalls, hooklet's own: option `psi`. Pure. */
import { quantityOf } from "@hooklet/core/rules";
import { STALL_CAPACITY, type StalledResource } from "../signals.js";
import type { EvictionThreshold } from "./threshold.js";

/** Percent of a window that may be stalled. */
export interface StallLimits {
  /** Some process stood still. */
  readonly some?: number | undefined;
  /** All that had something to do stood still. */
  readonly full?: number | undefined;
  /** Seconds. */
  readonly window: number;
}

export type StallSettings = Readonly<Partial<Record<StalledResource, StallLimits | undefined>>>;

/** They are hard ones: their window is their grace period. */
export function stallThresholds(settings: StallSettings): readonly EvictionThreshold[] {
  const of = (resource: StalledResource, kind: "some" | "full"): readonly EvictionThreshold[] => {
    const percent = settings[resource]?.[kind];
    if (percent === undefined) return [];
    const quantity = quantityOf(STALL_CAPACITY - Math.round((percent / 100) * STALL_CAPACITY));
    return [{ signal: `psi.${resource}.${kind}`, value: { quantity }, gracePeriodSeconds: 0 }];
  };
  return (["memory", "io"] as const).flatMap((resource) => [...of(resource, "some"), ...of(resource, "full")]);
}

/** What is read of a resource: the shares of time over this many seconds. */
export type StallWindows = Readonly<Partial<Record<StalledResource, { readonly window: number }>>>;

/** What has to be read for these settings. */
export function stallWindows({ memory, io }: StallSettings): StallWindows {
  return { ...(memory === undefined ? {} : { memory }), ...(io === undefined ? {} : { io }) };
}
