/** How long something took, over many times: mean and quantiles in about 200 bytes. */

/**
 * Each bucket is a factor of the square root of 2 wide; the first ends at 0.25 ms, the last begins at about 8 s. V8 keeps
 * up to 64 bytes with the array's object, and more in a separate block.
 */
const BUCKETS = 32;
const FIRST = 0.25;

export class Latencies {
  #count = 0;
  #sum = 0;
  #longest = 0;
  #buckets: Uint16Array | undefined;

  add(milliseconds: number): void {
    this.#buckets ??= new Uint16Array(BUCKETS);
    this.#count++;
    this.#sum += milliseconds;
    this.#longest = Math.max(this.#longest, milliseconds);
    const octaves = Math.log2(Math.max(milliseconds, FIRST) / FIRST);
    const index = Math.min(BUCKETS - 1, Math.ceil(octaves * 2));
    const seen = this.#buckets[index] ?? 0;
    // Full: what is old counts half from now on.
    if (seen === 65_535) this.#buckets = this.#buckets.map((value) => value >> 1);
    this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
  }

  get count(): number {
    return this.#count;
  }

  /** Milliseconds; undefined before the first. */
  get mean(): number | undefined {
    return this.#count === 0 ? undefined : this.#sum / this.#count;
  }

  /** Milliseconds, never too low: at most 41 % too high up to 8 s, beyond that the longest of all; undefined before the first. */
  quantile(q: number): number | undefined {
    if (this.#buckets === undefined) return undefined;
    const total = this.#buckets.reduce((sum, value) => sum + value, 0);
    let left = Math.ceil(total * q);
    const index = this.#buckets.findIndex((value) => {
      left -= value;
      return left <= 0;
    });
    return index === BUCKETS - 1 ? this.#longest : Math.min(this.#longest, FIRST * 2 ** (index / 2));
  }
}
