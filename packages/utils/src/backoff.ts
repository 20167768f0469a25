/** Pure. */

/**
 * Crash back-off as the kubelet's: the first restart at once, then 10 s after the end of the container, doubling to 5 min;
 * a container that ran for more than 10 min since its last start begins again at once. All times monotonic milliseconds.
 */
export interface BackOff {
  /** How long to wait after the container's end. */
  readonly window: number;
  /** When the container was started last. */
  readonly startedAt: number;
}

export const backOffRule = { initial: 10_000, max: 300_000 } as const;

function expired(backOff: BackOff, finishedAt: number): boolean {
  return finishedAt - backOff.startedAt > 2 * backOffRule.max;
}

/** When a container that ended at `finishedAt` may be started again; `finishedAt` itself when it is at once. */
export function backOffUntil(backOff: BackOff | undefined, finishedAt: number): number {
  if (backOff === undefined || expired(backOff, finishedAt)) return finishedAt;
  return finishedAt + backOff.window;
}

/** The back-off after a start at `now` of a container that had ended at `finishedAt`. */
export function nextBackOff(backOff: BackOff | undefined, finishedAt: number, now: number): BackOff {
  const fresh = backOff === undefined || expired(backOff, finishedAt);
  const window = fresh ? backOffRule.initial : Math.min(backOff.window * 2, backOffRule.max);
  return { window, startedAt: now };
}
