/** Which earlier reading rates are taken against. No I/O. */

/** Milliseconds: readers that come one right after another would see the noise of an instant. */
const WINDOW = 5000;
/** Milliseconds between readings that are kept: no more than six, however often there are new ones. */
const SPACING = 1000;

export class RateWindow<T> {
  /** Oldest first. */
  #kept: { readonly at: number; readonly reading: T }[] = [];

  /**
   * Takes a new reading and gives the one to compare it with: the last one that is at least 5 s old, or the first one of all until
   * there is one. Undefined for the first. @param at milliseconds since the epoch
   */
  next(reading: T, at: number): T | undefined {
    // The clock was set back: what was kept lies in the future.
    this.#kept = this.#kept.filter((one) => one.at <= at);
    const base = this.#kept.findLast((one) => at - one.at >= WINDOW) ?? this.#kept[0];
    if (base !== undefined) this.#kept = this.#kept.slice(this.#kept.indexOf(base));
    if (at - (this.#kept.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= SPACING) this.#kept.push({ at, reading });
    return base?.reading;
  }
}
