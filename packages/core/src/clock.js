/**
 * Time is a port. This is the only file of hooklet that touches the machine's clock and timers;
 * virtual time (testkit's VirtualClock) replaces it whole.
 */
const MAX_TIMEOUT = 2 ** 31 - 1;
export const systemClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(milliseconds, run) {
    let handle;
    const arm = (left) => {
      const step = Math.min(left, MAX_TIMEOUT);
      handle = setTimeout(() => (left > step ? arm(left - step) : run()), step);
      handle.unref();
    };
    arm(Math.max(0, milliseconds));
    return { cancel: () => clearTimeout(handle) };
  },
};
/** Resolves after `milliseconds`; rejects with the signal's reason when it aborts first. */
export function sleep(clock, milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.schedule(milliseconds, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
/**
 * Settles as `work` does, or rejects with `onTimeout()` when `milliseconds` pass first. The work itself is not
 * stopped: hand it an AbortSignal for that. Its late rejection is not left unhandled.
 */
export function withDeadline(clock, milliseconds, work, onTimeout) {
  return new Promise((resolve, reject) => {
    const timer = clock.schedule(milliseconds, () => reject(onTimeout()));
    work.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error) => {
        timer.cancel();
        reject(error);
      },
    );
  });
}
