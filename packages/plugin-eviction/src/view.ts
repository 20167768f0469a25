/** `hooklet get eviction`: each threshold against what is there. */
import type { View, ViewRow } from "@hooklet/core";
import { formatQuantity, quantityOf, thresholdQuantity } from "@hooklet/core/rules";
import type { EvictionManager } from "./loop/manager.js";
import { availableText } from "./observations.js";
import { byUrgency } from "./round/choose.js";
import type { EvictionState } from "./round/state.js";
import { conditionOf, resourceOf } from "./signals.js";
import { valueText } from "./thresholds/parse.js";
import { type EvictionThreshold, isHard } from "./thresholds/threshold.js";

export function evictionView(manager: EvictionManager, monotonic: () => number): View {
  return {
    description: "Eviction thresholds and what is left of what they are about",
    columns: [
      { name: "signal" },
      { name: "threshold" },
      { name: "available" },
      { name: "capacity" },
      { name: "state" },
      { name: "condition" },
      { name: "grace", wide: true },
      { name: "reclaim", wide: true },
    ],
    rows: () => byUrgency(manager.state.thresholds).map((threshold) => row(threshold, manager.state, monotonic())),
  };
}

function row(threshold: EvictionThreshold, state: EvictionState, now: number): ViewRow {
  const { signal, value, gracePeriodSeconds, minReclaim } = threshold;
  const seen = state.observations.get(signal);
  const whole = (amount: number): string => availableText(signal, { available: amount, capacity: amount });
  const condition = conditionOf(signal);
  return {
    signal,
    resource: resourceOf(signal),
    threshold: seen === undefined ? valueText(value) : thresholdText(threshold, seen.capacity),
    available: seen === undefined ? "unknown" : availableText(signal, seen),
    capacity: seen === undefined ? "unknown" : whole(seen.capacity),
    state: stateText(threshold, state, now),
    condition: `${condition}${state.conditions.includes(condition) ? "" : " no"}`,
    grace: isHard(threshold) ? "hard" : `soft ${gracePeriodSeconds}s`,
    reclaim: minReclaim === undefined ? "" : valueText(minReclaim),
  };
}

/** `10% (1Gi)` */
function thresholdText({ value }: EvictionThreshold, capacity: number): string {
  const text = valueText(value);
  return "quantity" in value ? text : `${text} (${formatQuantity(thresholdQuantity(value, capacity))})`;
}

function stateText(threshold: EvictionThreshold, { since, due, observations }: EvictionState, now: number): string {
  const at = since.get(threshold);
  if (at === undefined) return observations.has(threshold.signal) ? "ok" : "no signal";
  const seconds = formatQuantity(quantityOf(Math.floor((now - at) / 1000)));
  return due.includes(threshold) ? `crossed for ${seconds}s` : `crossed for ${seconds}s, grace period runs`;
}
