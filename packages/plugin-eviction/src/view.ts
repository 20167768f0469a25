/** `hooklet get eviction`: each threshold with the available amount. */
import type { View, ViewRow } from "@hooklet/core";
import { formatQuantity, quantityOf, thresholdQuantity } from "@hooklet/core/rules";
import type { EvictionManager } from "./eviction-manager.js";
import { availableText, valueText } from "./messages.js";
import type { EvictionState } from "./round.js";
import { conditionOf, isStallSignal, resourceOf, type Signal } from "./signals.js";
import { byUrgency, type EvictionThreshold, isHard } from "./thresholds.js";

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
  const { signal, gracePeriodSeconds, minReclaim } = threshold;
  const seen = state.observations.get(signal);
  const condition = conditionOf(signal);
  return {
    signal,
    resource: resourceOf(signal),
    threshold: seen === undefined ? valueText(threshold) : thresholdText(threshold, seen.capacity),
    available: seen === undefined ? "unknown" : availableText(signal, seen),
    capacity: seen === undefined ? "unknown" : capacityText(signal, seen.capacity),
    state: stateText(threshold, state, now),
    condition: `${condition}${state.conditions.includes(condition) ? "" : " no"}`,
    grace: isHard(threshold) ? "hard" : `soft ${gracePeriodSeconds}s`,
    reclaim: minReclaim === undefined ? "" : valueText({ signal, value: minReclaim }),
  };
}

/** Of stalls the whole time: what is shown of them is the share that was stalled. */
function capacityText(signal: Signal, capacity: number): string {
  return isStallSignal(signal) ? "100%" : availableText(signal, { available: capacity });
}

/** `10% (1Gi)` */
function thresholdText({ signal, value }: EvictionThreshold, capacity: number): string {
  const text = valueText({ signal, value });
  return "quantity" in value ? text : `${text} (${formatQuantity(thresholdQuantity(value, capacity))})`;
}

function stateText(threshold: EvictionThreshold, { since, due, observations }: EvictionState, now: number): string {
  const at = since.get(threshold);
  if (at === undefined) return observations.has(threshold.signal) ? "ok" : "no signal";
  const seconds = formatQuantity(quantityOf(Math.floor((now - at) / 1000)));
  return due.includes(threshold) ? `crossed for ${seconds}s` : `crossed for ${seconds}s, grace period runs`;
}
