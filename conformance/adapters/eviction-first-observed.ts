import { metSince } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only, type RawThreshold, toThreshold } from "./eviction.js";

interface Input {
  readonly thresholds: readonly RawThreshold[];
  readonly lastObservedAt: readonly (number | null)[];
  readonly now: number;
}

export const adapter: Adapter<Input> = {
  run(input) {
    const { lastObservedAt, now } = only("input", input, "thresholds", "lastObservedAt", "now");
    const thresholds = input.thresholds.map(toThreshold);
    const before = thresholds.flatMap((threshold, index) => {
      const at = lastObservedAt[index];
      return at === null || at === undefined ? [] : [[threshold, at * 1000] as const];
    });
    const since = metSince(thresholds, new Map(before), now * 1000);
    return { observedAt: thresholds.map((threshold) => (since.get(threshold) ?? Number.NaN) / 1000) };
  },
};
