import { dueThresholds } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only, type RawThreshold, toThreshold } from "./eviction.js";

interface Input {
  readonly thresholds: readonly RawThreshold[];
  readonly observedAt: readonly number[];
  readonly now: number;
}

export const adapter: Adapter<Input> = {
  run(input) {
    const { observedAt, now } = only("input", input, "thresholds", "observedAt", "now");
    const thresholds = input.thresholds.map(toThreshold);
    const since = new Map(thresholds.map((threshold, index) => [threshold, (observedAt[index] ?? 0) * 1000]));
    const due = dueThresholds(since, now * 1000);
    return { met: thresholds.flatMap((threshold, index) => (due.includes(threshold) ? [index] : [])) };
  },
};
