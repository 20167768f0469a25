/** A word for who waits at a terminal: how far it is, once it takes longer than two seconds. */
import type { Context, Output } from "@hooklet/cli/extend";
import { Progress } from "@hooklet/cli/extend";
import { clockText } from "../print/clock-text.js";

export class Waiting {
  readonly #progress: Progress;
  #done = 0;
  #reached: number | undefined;

  /** @param runs how many there are */
  constructor({ io }: Pick<Context, "io">, names: readonly string[], runs = 1) {
    const [first = "", ...others] = names;
    const which = others.length === 0 ? first : `${names.length} scenarios`;
    this.#progress = new Progress(io, `Simulating ${which}`, () => {
      if (runs > 1) return { done: this.#done, of: runs, what: "runs" };
      return this.#reached === undefined ? undefined : `at ${clockText(this.#reached)} of virtual time`;
    });
  }

  /** Seconds of virtual time, of a single run. */
  reached(t: number): void {
    this.#reached = t;
  }

  /** One of several runs is over. */
  one<T>(result: T): T {
    this.#done += 1;
    return result;
  }

  /** The line goes before anything else is written. */
  before(out: Output): Pick<Output, "write"> {
    return this.#progress.before(out);
  }

  during<T>(work: Promise<T>): Promise<T> {
    return this.#progress.during(work);
  }
}
