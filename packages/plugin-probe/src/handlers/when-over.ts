/** When the time of a probe is over. */
import type { Clock, Timer } from "@hooklet/core";

/**
 * Calls `run` after `milliseconds`, once what has come by then is read: an agent that had no processor for a while must not take an
 * answer that lies ready for one that never came. (In a turn of Node's loop timers come before sockets, immediates after them.)
 */
export function whenOver(clock: Clock, milliseconds: number, run: () => void): Timer {
  let isCancelled = false;
  const timer = clock.schedule(milliseconds, () => {
    setImmediate(() => {
      if (!isCancelled) run();
    });
  });
  return {
    cancel: () => {
      isCancelled = true;
      timer.cancel();
    },
  };
}
