/** Whether the API server can be reached: who waits after a failure is woken by the first answer that anybody gets. */
import { type Clock, sleep } from "@hooklet/core";

/** Milliseconds without any answer that make an outage: one kind of request that fails alone wakes nobody. */
const OUTAGE = 5_000;

export class Reach {
  #answeredAt: number;
  #failed = false;
  #returnedAt = Number.NEGATIVE_INFINITY;
  readonly #waiting = new Set<() => void>();
  readonly #listeners = new Set<() => void>();

  constructor(private readonly clock: Clock) {
    this.#answeredAt = clock.monotonic();
  }

  /** Nobody answered. */
  failed(): void {
    this.#failed = true;
  }

  /** Somebody did. */
  answered(): void {
    const now = this.clock.monotonic();
    const wasAway = this.#failed && now - this.#answeredAt >= OUTAGE;
    this.#answeredAt = now;
    if (!wasAway) return;
    this.#failed = false;
    this.#returnedAt = now;
    for (const wake of [...this.#waiting]) wake();
    for (const listener of [...this.#listeners]) listener();
  }

  /** Called at the end of each outage. */
  onReturn(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Resolves after the milliseconds, at the end of an outage since `began` (monotonic milliseconds), or when the signal aborts. */
  async pause(milliseconds: number, signal?: AbortSignal, began = Number.POSITIVE_INFINITY): Promise<void> {
    if (this.#returnedAt > began) return;
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    this.#waiting.add(wake);
    try {
      await sleep(
        this.clock,
        milliseconds,
        signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal]),
      );
    } catch {
      // Woken, or not to wait any longer: the caller looks.
    } finally {
      this.#waiting.delete(wake);
    }
  }
}
