/**
 * What lstat says of lower layers, kept for a moment: containers that start together look at the same paths. Lower layers
 * are an image's files, which never change, or the machine's own, where a change is seen a second later; /proc is taken for one.
 */
import type { Stats } from "node:fs";
import type { Clock } from "@hooklet/core";
import { lstatOrUndefined } from "./lstat.js";

const KEPT_MS = 1000;
/** Paths kept at most. */
const MOST = 10_000;

export class LowerStats {
  readonly #known = new Map<string, Stats | undefined>();
  #begun = 0;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  lstat(path: string): Stats | undefined {
    const now = this.clock.monotonic();
    if (now - this.#begun > KEPT_MS || this.#known.size > MOST) {
      this.#known.clear();
      this.#begun = now;
    }
    if (this.#known.has(path)) return this.#known.get(path);
    const stats = lstatOrUndefined(path);
    this.#known.set(path, stats);
    return stats;
  }
}
