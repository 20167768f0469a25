/**
 * Statistics carry times of the wall clock, and nobody goes twice for statistics that are not newer. When somebody sets the machine's clock
 * back, none would be newer until it has caught up: so each step of the clock is taken off. Pure.
 */
import type { Clock } from "@hooklet/core";

/** Milliseconds: by less a clock is only slewed. */
const STEP = 1000;

export class ClockSteps {
  readonly #began: number;
  #stepped = 0;

  constructor(private readonly clock: Pick<Clock, "now" | "monotonic">) {
    this.#began = this.#ahead();
  }

  /** Milliseconds by which the wall clock was set forward since this was made, below 0: back. It stays the same between two steps. */
  stepped(): number {
    const stepped = Math.round(this.#ahead() - this.#began);
    if (Math.abs(stepped - this.#stepped) >= STEP) this.#stepped = stepped;
    return this.#stepped;
  }

  #ahead(): number {
    return this.clock.now() - this.clock.monotonic();
  }
}
