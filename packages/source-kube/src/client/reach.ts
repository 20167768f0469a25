/**
 * Whether the API server is reachable: callers in back-off are woken by the first answer of the heartbeat. Only the heartbeat
 * decides: it runs all the time, and no failure of other requests looks like an outage.
 */
import type { Clock } from "@hooklet/core";
import { pause } from "@hooklet/core/subsystem";

/** Milliseconds without any answer, from the begin of the first request that had none, that make an outage. */
const OUTAGE = 5_000;

export class Reach {
  /** When the first request began that had no answer; undefined: the last one had one. */
  #failedAt: number | undefined;
  #returnedAt = Number.NEGATIVE_INFINITY;
  readonly #waiting = new Set<() => void>();
  readonly #listeners = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /** The heartbeat had no answer in so many milliseconds. */
  failed(milliseconds: number): void {
    this.#failedAt ??= this.clock.monotonic() - milliseconds;
  }

  /** It had one. */
  answered(): void {
    const now = this.clock.monotonic();
    const wasAway = this.#failedAt !== undefined && now - this.#failedAt >= OUTAGE;
    this.#failedAt = undefined;
    if (!wasAway) return;
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
    await pause(
      this.clock,
      milliseconds,
      signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal]),
    );
    this.#waiting.delete(wake);
  }
}
