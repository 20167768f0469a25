/** A cache of answers: one request at a time for each key, the oldest answer forgotten first. */
import type { Clock } from "@hooklet/utils";

const MAX = 4096;

export class Answers<T> {
  readonly #known = new Map<string, { readonly answer: Promise<T>; until: number }>();

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** @param holds milliseconds for which an answer is valid. Failures are not cached. */
  async get(key: string, ask: () => Promise<T>, holds: (answer: T) => number): Promise<T> {
    const known = this.#known.get(key);
    if (known !== undefined && this.clock.monotonic() < known.until) return known.answer;
    const answer = ask();
    // While it is under way everybody waits for the same.
    const entry = { answer, until: Number.POSITIVE_INFINITY };
    this.#known.delete(key);
    this.#known.set(key, entry);
    for (const [oldest] of this.#known) {
      if (this.#known.size <= MAX) break;
      this.#known.delete(oldest);
    }
    try {
      const result = await answer;
      entry.until = this.clock.monotonic() + holds(result);
      return result;
    } catch (error) {
      if (this.#known.get(key) === entry) this.#known.delete(key);
      throw error;
    }
  }
}
