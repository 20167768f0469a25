import { withNewStatistics } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only, type RawObservation, signalOf, toObservations } from "./eviction.js";

interface Input {
  readonly signals: readonly string[];
  readonly observations: Readonly<Record<string, RawObservation>>;
  readonly last: Readonly<Record<string, RawObservation>>;
}

export const adapter: Adapter<Input> = {
  run(input) {
    const { observations, last } = only("input", input, "signals", "observations", "last");
    const thresholds = input.signals.map((signal) => ({
      signal: signalOf(signal),
      value: { percentage: 1 },
      gracePeriodSeconds: 0,
    }));
    const updated = withNewStatistics(thresholds, toObservations(observations), toObservations(last));
    return { updated: updated.map(({ signal }) => signal) };
  },
};
