/** Lets at most so many pieces of work run at once; of those that wait, the one of the lowest rank goes first. */

import { Heap, type HeapEntry } from "./heap.js";

/** Compared from the left, lower first; equal ranks go in order of asking. */
export type Rank = readonly number[];

interface Waiter extends HeapEntry {
  readonly rank: Rank;
  readonly arrival: number;
  go(): void;
}

export interface SlotsOptions {
  /**
   * Every `patience`-th free slot goes to the longest waiting caller, of any rank: behind `n` others a caller waits for at most
   * `patience * (n + 1)` of them. Default 16.
   */
  readonly patience?: number;
  /**
   * Open slots when nothing runs; each finished piece of work opens one more, up to the limit, so that the first of
   * many finishes early. Default: all.
   */
  readonly opening?: number;
}

export class RankedSlots {
  readonly #byRank = new Heap<Waiter>(isBefore);
  /** The same waiters in order of asking. */
  readonly #line = new Set<Waiter>();
  #arrivals = 0;
  #grants = 0;
  #running = 0;
  /** How much may run at once just now. */
  #open: number;

  readonly #patience: number;
  readonly #opening: number;

  /** @param limit how much runs at once */
  constructor(
    private readonly limit: number,
    { patience = 16, opening = limit }: SlotsOptions = {},
  ) {
    this.#patience = patience;
    this.#opening = opening;
    this.#open = opening;
  }

  /**
   * Rejects with the signal's reason when that aborts before the work's turn; work that has begun is not touched. Work that finds
   * out that it has to wait for something else may leave its slot to others before its end.
   */
  async run<T>(rank: Rank, work: (leave: () => void) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.#open) this.#running++;
    else await this.#turn(rank, signal);
    let left = false;
    const leave = (): void => {
      if (!left) this.#ended();
      left = true;
    };
    try {
      return await work(leave);
    } finally {
      leave();
    }
  }

  #turn(rank: Rank, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#forget(waiter);
        reject(signal?.reason);
      };
      const go = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const waiter: Waiter = { rank, arrival: this.#arrivals++, go, place: -1 };
      signal?.addEventListener("abort", leave, { once: true });
      this.#line.add(waiter);
      this.#byRank.put(waiter);
    });
  }

  #ended(): void {
    this.#running--;
    if (this.#open < this.limit) this.#open++;
    while (this.#line.size > 0 && this.#running < this.#open) this.#grant();
    if (this.#running === 0) this.#open = this.#opening;
  }

  #grant(): void {
    this.#running++;
    this.#grants++;
    const [oldest] = this.#line;
    const next = this.#grants % this.#patience === 0 ? oldest : this.#byRank.peek();
    if (next === undefined) throw new Error("slots: a caller waits, but the line is empty");
    this.#forget(next);
    next.go();
  }

  #forget(waiter: Waiter): void {
    this.#line.delete(waiter);
    this.#byRank.remove(waiter);
  }
}

function isBefore(a: Waiter, b: Waiter): boolean {
  for (let i = 0; i < a.rank.length; i++) {
    const difference = (a.rank[i] ?? 0) - (b.rank[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return a.arrival < b.arrival;
}
