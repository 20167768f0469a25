/**
 * Time is a port. This is the only file of hooklet that touches the machine's clock and timers;
 * virtual time (testkit's VirtualClock) replaces it whole.
 */
/** A scheduled call. */
export interface Timer {
  /** Forgets the call; harmless after it ran and when called twice. */
  cancel(): void;
}
export interface Clock {
  /** Wall-clock time for people: milliseconds since the epoch. It may jump; never subtract two of them for a duration. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. For durations, back-off and deadlines. */
  monotonic(): number;
  /**
   * Calls `run` once after `milliseconds` (below 0 counts as 0; more than 24.8 days is split up).
   * `run` must not throw. A pending timer does not keep the process alive.
   */
  schedule(milliseconds: number, run: () => void): Timer;
}
export declare const systemClock: Clock;
/** Resolves after `milliseconds`; rejects with the signal's reason when it aborts first. */
export declare function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void>;
/**
 * Settles as `work` does, or rejects with `onTimeout()` when `milliseconds` pass first. The work itself is not
 * stopped: hand it an AbortSignal for that. Its late rejection is not left unhandled.
 */
export declare function withDeadline<T>(
  clock: Clock,
  milliseconds: number,
  work: Promise<T>,
  onTimeout: () => Error,
): Promise<T>;
