/** How many probes of one handler may be under way, and how many may begin in a second. Others wait their turn. */
import type { Clock, Timer } from "@hooklet/core";

export interface BudgetOptions {
  readonly clock: Clock;
  readonly limit: number;
  /** Probes that may begin in a second; 0 = as many as come. */
  readonly perSecond: number;
  /** Called when a probe has to wait. */
  readonly onExhausted: () => void;
}

export class Budget {
  #inUse = 0;
  /** Probes that may begin now, with `perSecond` only; fills up with time. */
  #tokens: number;
  #filledAt: number;
  #queue: (() => void)[] = [];
  #timer: Timer | undefined;

  constructor(private readonly options: BudgetOptions) {
    this.#tokens = Math.max(1, options.perSecond);
    this.#filledAt = options.clock.monotonic();
  }

  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Calls `begin` as soon as there is room: at once if there is. Whoever began calls `release` in the end. */
  take(begin: () => void): void {
    this.#queue.push(begin);
    this.#serve();
    if (this.#queue.length > 0) this.options.onExhausted();
  }

  release(): void {
    this.#inUse--;
    this.#serve();
  }

  /** Those who wait are forgotten. */
  stop(): void {
    this.#queue = [];
    this.#timer?.cancel();
  }

  #serve(): void {
    while (this.#queue.length > 0 && this.#inUse < this.options.limit && this.#hasToken()) {
      this.#inUse++;
      this.#queue.shift()?.();
    }
  }

  #hasToken(): boolean {
    const { perSecond, clock } = this.options;
    if (perSecond === 0) return true;
    const now = clock.monotonic();
    this.#tokens = Math.min(Math.max(1, perSecond), this.#tokens + ((now - this.#filledAt) * perSecond) / 1000);
    this.#filledAt = now;
    if (this.#tokens >= 1 - 1e-9) {
      this.#tokens -= 1;
      return true;
    }
    this.#timer?.cancel();
    this.#timer = clock.schedule(((1 - this.#tokens) * 1000) / perSecond, () => this.#serve());
    return false;
  }
}
