/** The watch on a real node: looks at memory by files that stay open, and asks for rounds. */
import type { Clock } from "@hooklet/core";
import { observationsOf } from "../observations.js";
import type { NodeStatistics } from "../statistics.js";
import type { EvictionThreshold } from "../thresholds/threshold.js";
import { rested, unwatched, watchMemory } from "./watch.js";

export interface MemoryWatchParts {
  readonly clock: Pick<Clock, "monotonic">;
  thresholds(): readonly EvictionThreshold[];
  /** @throws Error when a file cannot be read */
  read(): NodeStatistics;
  /** A round is needed now. It is not waited for: rounds may take longer than a look, and are watched by their own. */
  crossed(): void;
}

export class MemoryWatch {
  #state = unwatched;

  constructor(private readonly parts: MemoryWatchParts) {}

  /** @throws Error when memory cannot be read; it is looked at again after the longest rest */
  look(): void {
    const { clock, thresholds, read, crossed } = this.parts;
    const now = clock.monotonic();
    if (now < this.#state.restUntil) return;
    this.#state = rested(this.#state, now);
    const looked = watchMemory(this.#state, thresholds(), observationsOf(read()), now);
    this.#state = looked.state;
    if (looked.round) crossed();
  }
}
