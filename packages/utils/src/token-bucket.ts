/** So many a second, lasting, with a burst, as client-go's flow control. */
import { type Clock, sleep } from "./clock.js";

export interface Rate {
  readonly perSecond: number;
  /** At once. */
  readonly burst: number;
}

export class TokenBucket {
  /** Monotonic milliseconds when the bucket is full again without further calls. */
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly rate: Rate,
  ) {}

  /** False: not now. */
  take(): boolean {
    return this.#turn(0) !== undefined;
  }

  /**
   * Callers take turns in order. Resolves true at its turn, at once while there is burst left, and false at once when the turn
   * would come after `longest` milliseconds. Rejects with the signal's reason when that aborts first, and then gives its turn back.
   */
  async turn(signal?: AbortSignal, longest = Number.POSITIVE_INFINITY): Promise<boolean> {
    const wait = this.#turn(longest);
    if (wait === undefined || wait <= 0) return wait !== undefined;
    try {
      await sleep(this.clock, wait, signal);
      return true;
    } catch (error) {
      this.#fullAt -= 1_000 / this.rate.perSecond;
      throw error;
    }
  }

  /** Takes one token and returns the milliseconds until it is available; undefined, without taking one, when they exceed `longest`. */
  #turn(longest: number): number | undefined {
    const now = this.clock.monotonic();
    const each = 1_000 / this.rate.perSecond;
    const taken = Math.max(0, this.#fullAt - now) + each;
    const wait = taken - this.rate.burst * each;
    if (wait > longest) return undefined;
    this.#fullAt = now + taken;
    return wait;
  }
}
