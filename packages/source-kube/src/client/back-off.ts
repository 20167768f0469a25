/** The wait before the next try. Pure but for the clock, which is passed in. */

export interface BackOffRule {
  /** Milliseconds of the first wait; doubled with each failure. */
  readonly first: number;
  readonly last: number;
  /** Share of a wait that is put on top at random. */
  readonly jitter: number;
  /** Milliseconds without a failure after which the next one counts as the first. */
  readonly reset: number;
}

/** Of list and watch, as client-go's reflector. */
export const reflectorBackOff: BackOffRule = { first: 800, last: 30_000, jitter: 1, reset: 120_000 };

/** Of requests for a certificate, as in the kubelet's certificate manager. */
export const certificateBackOff: BackOffRule = {
  first: 2_000,
  last: 32_000,
  jitter: 0.1,
  reset: Number.POSITIVE_INFINITY,
};

export class BackOff {
  #next: number;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly rule: BackOffRule,
    private readonly random: () => number,
  ) {
    this.#next = rule.first;
  }

  /** Milliseconds to wait after a failure at `now` (monotonic). */
  failed(now: number): number {
    const { first, last, jitter, reset } = this.rule;
    if (now - this.#failedAt > reset) this.#next = first;
    this.#failedAt = now;
    const wait = this.#next;
    this.#next = Math.min(last, wait * 2);
    return wait * (1 + jitter * this.random());
  }

  /** All is well. */
  reset(): void {
    this.#next = this.rule.first;
  }
}
