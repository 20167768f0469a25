/** Works on many items in groups, so that work begun for the first ones continues before the last ones are reached. */

const AT_ONCE = 8;
/** However great the crowd is. */
const MAX_TURNS = 32;

/**
 * Begins the work on all, in order, some of them in each turn of the event loop: calls that they make leave the process with the
 * turn. Settles as `Promise.all` does.
 */
export async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const size = Math.max(AT_ONCE, Math.ceil(all.length / MAX_TURNS));
  const begun: Promise<unknown>[] = [];
  for (let from = 0; from < all.length; from += size) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    const group = Promise.all(all.slice(from, from + size).map(work));
    // Awaited below; this only avoids an unhandled rejection until then.
    group.catch(() => undefined);
    begun.push(group);
  }
  await Promise.all(begun);
}
