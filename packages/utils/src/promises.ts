/** Promises: in turns, at most some at once, until a signal. */

import type { Writable } from "node:stream";

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

/** Gives each caller a turn of the event loop without the others, first come, first served: what else is due runs between them. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in the caller's turn. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.#last;
  }
}

/** Lets at most `limit` pieces of work run at once, the others wait in order. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

/**
 * Settles as `work` does, or rejects with the signal's reason when that aborts first. The work then continues unobserved.
 */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Resolves when the stream takes more, or is gone. */
export function untilDrained(stream: Writable): Promise<void> {
  if (stream.destroyed || !stream.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off("drain", done);
      stream.off("close", done);
      resolve();
    };
    stream.on("drain", done);
    stream.on("close", done);
  });
}
