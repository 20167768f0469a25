/** The same trouble said again and again is counted in place of said. */
import type { Clock } from "@hooklet/utils";

/** Milliseconds in which a line is said once. */
const WINDOW = 60_000;
/** Different lines that are remembered. */
const MAX_KNOWN = 500;

export class Repeats {
  readonly #known = new Map<string, { since: number; count: number }>();

  constructor(private readonly clock: Clock) {}

  /** Undefined: it was said a moment ago; else how often it was not said since. */
  take(key: string): number | undefined {
    const now = this.clock.monotonic();
    const known = this.#known.get(key);
    if (known !== undefined && now - known.since < WINDOW) {
      known.count += 1;
      return undefined;
    }
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, { since: now, count: 0 });
    return known?.count ?? 0;
  }
}
