/**
 * Pressure stall information of the machine (/proc/pressure): the share of time that processes stalled on memory or io.
 * Pure.
 */
import type { KernelRead } from "@hooklet/core/rules";
import type { StallWindows } from "./parse-thresholds.js";
import { STALL_CAPACITY, type StalledResource, type StallSignal } from "./signals.js";

/** Microseconds that some, and that all processes stood still since the machine started. */
export interface StallTotals {
  readonly some?: number;
  readonly full?: number;
}

/** The totals of a pressure file; nothing where the kernel has none (no PSI, or switched off). */
export function stallTotals(text: string): StallTotals {
  const total = (kind: "some" | "full"): number | undefined => {
    const found = new RegExp(`^${kind} .*\\btotal=(\\d+)$`, "m").exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const [some, full] = [total("some"), total("full")];
  return { ...(some === undefined ? {} : { some }), ...(full === undefined ? {} : { full }) };
}

interface Sample extends StallTotals {
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** Share of a window that must have passed: rounds are not exact to the millisecond. */
const WHOLE = 0.9;
/** Most samples per window: a reader that is faster gets the previous sample. */
const SAMPLES = 40;

/**
 * Shares of time over whole windows. The kernel's averages decay for a minute after the cause is gone, and would evict a second
 * pod for what the first one did; these start again after `forget`, and are empty before a whole window has passed.
 */
export class StallMeter {
  readonly #samples = new Map<StalledResource, readonly Sample[]>();

  constructor(private readonly windows: StallWindows) {}

  /** Hundredths of a percent of the last window that were stalled, by signal. @param now monotonic milliseconds */
  read(kernel: KernelRead, now: number): ReadonlyMap<StallSignal, number> {
    const stalled = new Map<StallSignal, number>();
    for (const [resource, { window }] of Object.entries(this.windows) as [StalledResource, { window: number }][]) {
      const last: Sample = { at: now, ...stallTotals(kernel.read(`/proc/pressure/${resource}`) ?? "") };
      const samples = within([...(this.#samples.get(resource) ?? []), last], now, window * 1000);
      this.#samples.set(resource, samples);
      for (const kind of ["some", "full"] as const) {
        const share = shareOf(samples, last, kind, window * 1000);
        if (share !== undefined) stalled.set(`psi.${resource}.${kind}`, share);
      }
    }
    return stalled;
  }

  /** A pod has gone: what was before it does not count any more. */
  forget(): void {
    this.#samples.clear();
  }
}

/** The newest sample that is a whole window old, and those after it that are not too close to each other. */
function within(samples: readonly Sample[], now: number, window: number): readonly Sample[] {
  const oldest = samples.findLastIndex(({ at }) => now - at >= window * WHOLE);
  const kept: Sample[] = [];
  for (const one of samples.slice(Math.max(0, oldest))) {
    const before = kept.at(-1);
    if (before === undefined || one.at - before.at >= window / SAMPLES) kept.push(one);
  }
  return kept;
}

function shareOf([first]: readonly Sample[], last: Sample, kind: "some" | "full", window: number): number | undefined {
  const [from, to] = [first?.[kind], last[kind]];
  if (first === undefined || from === undefined || to === undefined || last.at - first.at < window * WHOLE)
    return undefined;
  const share = (to - from) / 1000 / (last.at - first.at);
  return Math.round(Math.min(1, Math.max(0, share)) * STALL_CAPACITY);
}
