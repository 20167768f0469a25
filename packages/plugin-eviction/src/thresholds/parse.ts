/** The settings of KubeletConfiguration as thresholds (pkg/kubelet/eviction ParseThresholdConfig). Pure. */
import { parsePercentage, parseQuantity, parseThreshold } from "@hooklet/core/rules";
import { isThresholdSignal, type Signal } from "../signals.js";
import { parseGoDuration } from "./go-duration.js";
import { type EvictionThreshold, isHard, type ThresholdValue } from "./threshold.js";

/** Signal -> text, as the configuration has it. */
export type SignalTexts = Readonly<Record<string, string>>;

export interface ThresholdSettings {
  readonly evictionHard: SignalTexts;
  readonly evictionSoft: SignalTexts;
  readonly evictionSoftGracePeriod: SignalTexts;
  readonly evictionMinimumReclaim: SignalTexts;
  /** `pods`: each hard threshold of memory.available holds for the cgroup of all pods too. */
  readonly enforceNodeAllocatable: readonly string[];
}

/**
 * All thresholds, in the order in which they are written, the copies for the pods' cgroup last.
 * @throws Error with the kubelet's text for the first fault; settings are looked at in the order hard, soft, grace periods,
 * minimum reclaims, missing grace periods
 */
export function parseThresholdConfig(settings: ThresholdSettings): readonly EvictionThreshold[] {
  const hard = readAll(settings.evictionHard, parseThreshold);
  const soft = readAll(settings.evictionSoft, parseThreshold);
  const gracePeriods = readAll(settings.evictionSoftGracePeriod, parseGracePeriod);
  const reclaims = readAll(settings.evictionMinimumReclaim, parseMinimumReclaim);
  const make = (signal: Signal, value: ThresholdValue, gracePeriodSeconds: number): EvictionThreshold => {
    const minReclaim = reclaims.get(signal);
    return { signal, value, gracePeriodSeconds, ...(minReclaim === undefined ? {} : { minReclaim }) };
  };
  const thresholds = [
    ...[...hard].map(([signal, value]) => make(signal, value, 0)),
    ...[...soft].map(([signal, value]) => {
      const seconds = gracePeriods.get(signal);
      if (seconds !== undefined) return make(signal, value, seconds);
      throw new Error(`grace period must be specified for the soft eviction threshold ${signal}`);
    }),
  ];
  return settings.enforceNodeAllocatable.includes("pods") ? [...thresholds, ...forPods(thresholds)] : thresholds;
}

function readAll<T>(texts: SignalTexts, read: (signal: string, text: string) => T | undefined): Map<Signal, T> {
  const values = new Map<Signal, T>();
  for (const [signal, text] of Object.entries(texts)) {
    if (!isThresholdSignal(signal)) throw new Error(`unsupported eviction signal ${signal}`);
    const value = read(signal, text);
    if (value !== undefined) values.set(signal, value);
  }
  return values;
}

function parseGracePeriod(_signal: string, text: string): number {
  const seconds = parseGoDuration(text);
  if (seconds >= 0) return seconds;
  throw new Error(`invalid eviction grace period specified: ${text}, must be a positive value`);
}

function parseMinimumReclaim(signal: string, text: string): ThresholdValue {
  if (text.endsWith("%")) {
    const percentage = parsePercentage(text);
    // More than the whole is allowed; what is no number, or without end, is not.
    if (percentage > 0 && Number.isFinite(percentage)) return { percentage };
    throw new Error(`eviction percentage minimum reclaim ${signal} must be positive: ${text}`);
  }
  const quantity = parseQuantity(text);
  if (quantity.nano >= 0n) return { quantity };
  throw new Error(`negative eviction minimum reclaim specified for ${signal}`);
}

/** The node's hard memory thresholds, for the memory that the cgroup of all pods has left. */
function forPods(thresholds: readonly EvictionThreshold[]): readonly EvictionThreshold[] {
  return thresholds
    .filter((threshold) => threshold.signal === "memory.available" && isHard(threshold))
    .map((threshold) => ({ ...threshold, signal: "allocatableMemory.available" }));
}
