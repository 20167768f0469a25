/** Cleans before a threshold is crossed: dead containers and unused images cost nobody anything. */
import type { Observations } from "../observations.js";
import { crossedWithin } from "../round/predict.js";
import { type ReclaimFunction, reclaimFor } from "../round/reclaim.js";
import type { EvictionState } from "../round/state.js";

export class Prediction {
  #last: Observations = new Map();

  /** @param seconds how far to look ahead */
  constructor(private readonly seconds: number) {}

  /** After a round: what shall be cleaned, in order. */
  look({ thresholds, observations, layout }: EvictionState): readonly ReclaimFunction[] {
    const before = this.#last;
    this.#last = observations;
    if (layout === undefined || before === observations) return [];
    const soon = crossedWithin(thresholds, before, observations, this.seconds);
    return [...new Set(soon.flatMap(({ signal }) => reclaimFor(signal, layout)))];
  }
}
