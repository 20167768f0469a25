/** Amounts of what runs short, for people. Pure. */
import { formatQuantity, quantityOf, quantityValue, thresholdQuantity } from "@hooklet/core/rules";
import type { Observation } from "../observations.js";
import { isCounted, isStallSignal, resourceOf, type Signal, STALL_CAPACITY, type StarvedResource } from "../signals.js";
import type { EvictionThreshold, ThresholdValue } from "../thresholds/threshold.js";

/** How messages print what is available: bytes with binary suffixes, inodes and processes with decimal ones; stalls as a share of time. */
export function availableText(signal: Signal, { available }: Pick<Observation, "available">): string {
  return isStallSignal(signal) ? stalledText(available) : amountText(resourceOf(signal), available);
}

/** `512Mi`, `100k`; of io what goes by in a second. */
export function amountText(resource: StarvedResource, amount: number): string {
  const text = formatQuantity(quantityOf(amount, isCounted(resource) ? "DecimalSI" : "BinarySI"));
  return resource === "io" ? `${text}/s` : text;
}

/** `10%`, `100Mi`: a threshold's value. Of stalls: the share of time that is too much. */
export function valueText({ signal, value }: Pick<EvictionThreshold, "signal" | "value">): string {
  if ("percentage" in value) return percentText(value.percentage * 100);
  return isStallSignal(signal) ? stalledText(quantityValue(value.quantity)) : formatQuantity(value.quantity);
}

/** What a message says of the threshold that was crossed: the kubelet's words, or for stalls hooklet's. Ends with a blank. */
export function crossedText(signal: Signal, value: ThresholdValue, seen: Observation): string {
  if (isStallSignal(signal)) {
    return `Threshold: ${signal} above ${valueText({ signal, value })} of the time, found: ${availableText(signal, seen)}. `;
  }
  const quantity = formatQuantity(thresholdQuantity(value, seen.capacity));
  return `Threshold quantity: ${quantity}, available: ${availableText(signal, seen)}. `;
}

function stalledText(available: number): string {
  return percentText(((STALL_CAPACITY - available) / STALL_CAPACITY) * 100);
}

function percentText(percent: number): string {
  return `${Number(percent.toPrecision(6))}%`;
}
