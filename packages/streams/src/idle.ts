/** Ends a connection on which nothing has moved for too long, in either direction. */
import type { Clock } from "@hooklet/utils";

/** Looks within the time that it may be silent: it ends no later than a quarter of that after it. */
const LOOKS = 4;

/** @param idle milliseconds; @param moved grows with all that moves. Returns what ends the looking. */
export function endWhenIdle(
  clock: Pick<Clock, "monotonic" | "schedule">,
  idle: number,
  moved: () => number,
  end: () => void,
): () => void {
  let last = moved();
  let since = clock.monotonic();
  const check = (): void => {
    const now = clock.monotonic();
    const sum = moved();
    if (sum !== last) [last, since] = [sum, now];
    if (now - since >= idle) end();
    else timer = clock.schedule(idle / LOOKS, check);
  };
  let timer = clock.schedule(idle / LOOKS, check);
  return () => timer.cancel();
}
