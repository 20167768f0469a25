/**
 * Time is a port. This is the only file of hooklet that touches the machine's clock and timers;
 * virtual time (testkit's VirtualClock) replaces it whole.
 */

import { setMaxListeners } from "node:events";

/** A scheduled call. */
export interface Timer {
  /** Forgets the call; harmless after it ran and when called twice. */
  cancel(): void;
}

export interface Clock {
  /** Wall-clock time: milliseconds since the epoch. It may jump; never subtract two of them for a duration. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. For durations, back-off and deadlines. */
  monotonic(): number;
  /**
   * Calls `run` once after `milliseconds` (below 0 counts as 0; more than 24.8 days is split up).
   * `run` must not throw; an error of a plugin's callback is reported and goes no further. A pending timer does not keep the process alive.
   */
  schedule(milliseconds: number, run: () => void): Timer;
}

const MAX_TIMEOUT = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(milliseconds, run) {
    let handle: NodeJS.Timeout;
    const arm = (left: number): void => {
      const step = Math.min(left, MAX_TIMEOUT);
      handle = setTimeout(() => (left > step ? arm(left - step) : run()), step);
      handle.unref();
    };
    arm(Math.max(0, milliseconds));
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Resolves after `milliseconds`; rejects with the signal's reason when it aborts first. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.schedule(milliseconds, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    if (signal === undefined) return;
    // As many sleepers as there are at once: each removes its listener.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Resolves after `milliseconds`, or as soon as the signal aborts: for callers that check the signal themselves. Never rejects. */
export async function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(clock, milliseconds, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * Settles as `work` does, or rejects with `onTimeout()` when `milliseconds` pass first. The work itself is not
 * stopped: hand it an AbortSignal for that. Its late rejection is not left unhandled.
 */
export function withDeadline<T>(
  clock: Clock,
  milliseconds: number,
  work: Promise<T>,
  onTimeout: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.schedule(milliseconds, () => reject(onTimeout()));
    work.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error);
      },
    );
  });
}
