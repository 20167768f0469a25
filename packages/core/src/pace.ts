/** A rate limit that makes callers wait instead of refusing them. */
import { type Clock, sleep } from "./clock.js";

const MINUTE = 60_000;

/** Lets at most so many callers through within any minute, in order of asking. */
export class Pace {
  /** When the last callers went through: monotonic milliseconds, oldest first. */
  readonly #times: number[] = [];
  #last: Promise<void> = Promise.resolve();

  /** @param perMinute 0 = no limit */
  constructor(
    private readonly clock: Clock,
    private readonly perMinute: number,
  ) {}

  /** Resolves when it is the caller's turn; rejects with the signal's reason when that aborts first. */
  turn(signal: AbortSignal): Promise<void> {
    if (this.perMinute === 0) return Promise.resolve();
    const turn = this.#last.then(() => this.#wait(signal));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const oldest = this.#times.length < this.perMinute ? undefined : this.#times.shift();
    if (oldest !== undefined) await sleep(this.clock, oldest + MINUTE - this.clock.monotonic(), signal);
    this.#times.push(this.clock.monotonic());
  }
}
