/** Requests per second with a burst, as client-go's flow control: callers wait in the order of asking. */
import { type Clock, sleep } from "@hooklet/core";
import { ApiError, UNREACHABLE } from "./api-error.js";

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

  /**
   * Resolves at once while there is burst left; rejects with the signal's reason when that aborts first, and at once when the turn
   * would come after `longest` milliseconds. Who gives up keeps nobody else waiting.
   */
  async take(signal?: AbortSignal, longest = Number.POSITIVE_INFINITY): Promise<void> {
    const now = this.clock.monotonic();
    const each = 1_000 / this.rate.qps;
    const taken = Math.max(0, this.#fullAt - now) + each;
    const wait = taken - this.rate.burst * each;
    if (wait > longest)
      throw new ApiError(UNREACHABLE, "Timeout", "too many requests wait to be sent to the API server");
    this.#fullAt = now + taken;
    if (wait <= 0) return;
    try {
      await sleep(this.clock, wait, signal);
    } catch (error) {
      this.#fullAt -= each;
      throw error;
    }
  }
}
