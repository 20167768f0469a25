/** A rate limit that makes callers wait instead of refusing them. */
import { type Clock, sleep } from "../clock.js";

const MINUTE = 60_000;

/** Lets at most so many callers through within any minute, in order of asking. */
export class Pace {
  /** When the last callers went through: monotonic milliseconds, oldest first. */
  readonly #times: number[] = [];
  #last: Promise<void> = Promise.resolve();

  /** @param perMinute above 0 */
  constructor(
    private readonly clock: Clock,
    private readonly perMinute: number,
  ) {}

  /** Resolves when it is the caller's turn; rejects with the signal's reason when that aborts first. */
  turn(signal: AbortSignal): Promise<void> {
    const turn = this.#last.then(() => this.#wait(signal));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const oldest = this.#times[0];
    if (oldest !== undefined && this.#times.length >= this.perMinute) {
      await sleep(this.clock, oldest + MINUTE - this.clock.monotonic(), signal);
      this.#times.shift();
    }
    this.#times.push(this.clock.monotonic());
  }
}
