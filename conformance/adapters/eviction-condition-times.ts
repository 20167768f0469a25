import { observedAt, type PressureCondition, reportedConditions } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only } from "./eviction.js";

interface Input {
  readonly conditions: readonly PressureCondition[];
  readonly lastObservedAt: Readonly<Partial<Record<PressureCondition, number>>>;
  readonly period: number;
  readonly now: number;
}

export const adapter: Adapter<Input> = {
  run(input) {
    const { conditions, lastObservedAt, period, now } = only(
      "input",
      input,
      "conditions",
      "lastObservedAt",
      "period",
      "now",
    );
    const before = Object.entries(lastObservedAt).map(([name, at]) => [name as PressureCondition, at * 1000] as const);
    const observed = observedAt(conditions, new Map(before), now * 1000);
    return {
      observedAt: Object.fromEntries([...observed].map(([name, at]) => [name, at / 1000])),
      reported: reportedConditions(observed, period, now * 1000),
    };
  },
};
