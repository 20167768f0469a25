import { type ConditionStatus, conditionChange, type PressureCondition } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only } from "./eviction.js";

interface Input {
  readonly condition: PressureCondition;
  readonly previous: ConditionStatus["status"] | null;
  readonly pressure: boolean;
}

export const adapter: Adapter<Input> = {
  run(input) {
    const { condition, previous, pressure } = only("input", input, "condition", "previous", "pressure");
    const before = previous === null ? undefined : { status: previous, reason: "before", message: "before" };
    const change = conditionChange(condition, pressure, before);
    const events = change.event === undefined ? [] : [`Normal ${change.event}`];
    return { ...change.condition, events, transition: change.event !== undefined };
  },
};
