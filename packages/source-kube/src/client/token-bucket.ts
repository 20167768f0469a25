/** Requests per second with a burst, as client-go's flow control: callers wait in the order of asking. */
import { type Clock, sleep } from "@hooklet/core";

export interface Rate {
  /** Requests in a second, lasting. */
  readonly qps: number;
  readonly burst: number;
}

export class TokenBucket {
  /** When the bucket is full again if nobody asks: monotonic milliseconds. */
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly rate: Rate,
  ) {}

  /** Resolves at once while there is burst left; rejects with the signal's reason when that aborts first. */
  async take(signal?: AbortSignal): Promise<void> {
    const now = this.clock.monotonic();
    const each = 1_000 / this.rate.qps;
    const taken = Math.max(0, this.#fullAt - now) + each;
    this.#fullAt = now + taken;
    const wait = taken - this.rate.burst * each;
    if (wait > 0) await sleep(this.clock, wait, signal);
  }
}
