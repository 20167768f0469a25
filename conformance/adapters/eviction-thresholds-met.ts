import { thresholdsMet } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only, type RawObservation, type RawThreshold, toObservations, toThreshold } from "./eviction.js";

interface Input {
  readonly thresholds: readonly RawThreshold[];
  readonly observations: Readonly<Record<string, RawObservation>>;
  readonly enforceMinReclaim: boolean;
}

export const adapter: Adapter<Input> = {
  run(input) {
    const { enforceMinReclaim } = only("input", input, "thresholds", "observations", "enforceMinReclaim");
    const thresholds = input.thresholds.map(toThreshold);
    const met = thresholdsMet(thresholds, toObservations(input.observations), { minReclaim: enforceMinReclaim });
    return { met: thresholds.flatMap((threshold, index) => (met.includes(threshold) ? [index] : [])) };
  },
};
