/** Lets at most so many pieces of work run at once; of those that wait, the one of the lowest rank goes first. */

/** Compared from the left, lower first; equal ranks go in order of asking. */
export type Rank = readonly number[];

interface Waiter {
  readonly rank: Rank;
  readonly arrival: number;
  /** Undefined once it waits no longer: through it all that asked would be held. */
  go: (() => void) | undefined;
}

export interface SlotsOptions {
  /**
   * Each so many-th free slot goes to whoever waits longest, whatever its rank: behind `n` others nobody waits for more than
   * `patience * (n + 1)` of them. Default 16.
   */
  readonly patience?: number;
  /**
   * How many slots are open when nothing runs; each end of a piece of work opens one more, up to the limit: so the first of a
   * crowd is done early, not as late as all that began beside it. Default: all.
   */
  readonly opening?: number;
}

export class RankedSlots {
  /** A binary heap by rank; who no longer waits stays until it surfaces or `#compact` finds it. */
  #heap: Waiter[] = [];
  /** The same waiters in order of asking. */
  #line: Waiter[] = [];
  #waiting = 0;
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
        this.#served(waiter);
        reject(signal?.reason);
      };
      const go = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const waiter: Waiter = { rank, arrival: this.#arrivals++, go };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting++;
      this.#line.push(waiter);
      this.#push(waiter);
    });
  }

  #ended(): void {
    this.#running--;
    if (this.#open < this.limit) this.#open++;
    while (this.#waiting > 0 && this.#running < this.#open) this.#grant();
    if (this.#running === 0) this.#open = this.#opening;
  }

  #grant(): void {
    this.#running++;
    this.#grants++;
    const next = this.#grants % this.#patience === 0 ? this.#line.find(waits) : this.#lowest();
    if (next === undefined) throw new Error("slots: somebody waits but nobody is in the line");
    this.#served(next)?.();
  }

  /** Takes it out of those that wait; what lets it go on. */
  #served(waiter: Waiter): Waiter["go"] {
    const { go } = waiter;
    waiter.go = undefined;
    this.#waiting--;
    if (this.#line.length > 64 && this.#line.length > 2 * this.#waiting) this.#compact();
    return go;
  }

  #compact(): void {
    this.#line = this.#line.filter(waits);
    // A sorted array is a heap.
    this.#heap = this.#line.toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  #push(waiter: Waiter): void {
    const heap = this.#heap;
    let at = heap.push(waiter) - 1;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt] as Waiter;
      if (!isBefore(waiter, parent)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = waiter;
  }

  #lowest(): Waiter | undefined {
    let first = this.#pop();
    while (first !== undefined && !waits(first)) first = this.#pop();
    return first;
  }

  #pop(): Waiter | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let childAt = 2 * at + 1;
      let child = heap[childAt];
      const right = heap[childAt + 1];
      if (child !== undefined && right !== undefined && isBefore(right, child)) {
        child = right;
        childAt++;
      }
      if (child === undefined || !isBefore(child, last)) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = last;
    return first;
  }
}

function waits({ go }: Waiter): boolean {
  return go !== undefined;
}

function isBefore(a: Waiter, b: Waiter): boolean {
  for (let i = 0; i < a.rank.length; i++) {
    const difference = (a.rank[i] ?? 0) - (b.rank[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return a.arrival < b.arrival;
}
