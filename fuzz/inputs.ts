/** The inputs of a target, each known by its number: its seeds, then in turn those in which a part comes over and over and what chance makes. */
import { type Long, longs, ofLength } from "./long.js";
import { inputOf, mutate } from "./mutate.js";
import { Random } from "./random.js";

/** Bytes of a long input: enough to tell what grows like the square, little enough for thousands of them. */
const LONG = 8 * 1024;

export class Inputs {
  readonly #longs: readonly Long[];

  constructor(
    private readonly seed: number,
    private readonly seeds: readonly Uint8Array[],
  ) {
    this.#longs = longs(seeds);
  }

  /** `times`: how much longer than usual, where a part of it comes over and over; others stay as they are. */
  at(index: number, times = 1): Buffer {
    const behind = index - this.seeds.length;
    const long = behind % 2 === 0 ? this.#longs[behind / 2] : undefined;
    if (long !== undefined) return ofLength(long, LONG * times);
    return times === 1 || behind < 0
      ? inputOf(this.seed, index, this.seeds)
      : mutate(new Random(this.seed, index), this.seeds, times);
  }

  /** With a quarter of its part's comings; undefined for what chance makes. */
  quarter(index: number): Buffer | undefined {
    const behind = index - this.seeds.length;
    return behind % 2 === 0 && this.#longs[behind / 2] !== undefined ? this.at(index, 1 / 4) : undefined;
  }

  /** Whether `times` makes it longer. */
  grows(index: number): boolean {
    return this.at(index, 2).length > this.at(index).length;
  }
}
