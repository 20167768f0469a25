import type { VirtualClock } from "./virtual-clock.js";

/** Turns given to real work (a socket, a child) before virtual time moves for it. */
const PATIENT_TURNS = 500;

/**
 * The outcome of `work`. Virtual time passes for it only when it does not come by itself, and for at most an hour.
 *
 * @param what names the work in the error of one that never settles
 */
export async function during<T>(clock: VirtualClock, what: string, work: Promise<T>): Promise<T> {
  let done = false;
  const watched = work.finally(() => {
    done = true;
  });
  watched.catch(() => {});
  for (let turns = 0; turns < PATIENT_TURNS && !done; turns++) await clock.settle();
  if (!(await clock.advanceUntil(() => done))) {
    throw new Error(`${what} did not settle within an hour of virtual time.`);
  }
  return watched;
}
