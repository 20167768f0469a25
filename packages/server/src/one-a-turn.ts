/**
 * Starting a program blocks the event loop for some milliseconds: of those that many clients request at once, each gets a separate turn,
 * and as much time as it took is left for other work before the next.
 */
import { type Clock, sleep } from "@hooklet/utils";

let last: Promise<void> = Promise.resolve();

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves in a turn of the event loop without other callers; first come, first served. */
export function ownTurn(clock: Clock): Promise<void> {
  const turn = last.then(nextTurn);
  last = turn.then(async () => {
    const began = clock.monotonic();
    await nextTurn();
    const taken = clock.monotonic() - began;
    if (taken >= 1) await sleep(clock, taken);
  });
  return turn;
}
