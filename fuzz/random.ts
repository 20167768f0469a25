/** Numbers that are the same for the same seed: an input is known by its number. */
export class Random {
  #state: number;

  constructor(seed: number, index: number) {
    this.#state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0;
  }

  /** mulberry32: 0 <= n < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `limit`; 0 when that is 0. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Small ones more often than large ones, below `limit`. */
  small(limit: number): number {
    return this.below(1 + this.below(limit));
  }

  pick<One>(all: readonly One[]): One {
    if (all.length === 0) throw new Error("nothing to pick from");
    return all[this.below(all.length)] as One;
  }

  chance(of: number): boolean {
    return this.next() < of;
  }
}
