/** The settings of KubeletConfiguration as thresholds (pkg/kubelet/eviction ParseThresholdConfig). Pure. */
import { parsePercentage, parseQuantity, parseThreshold, quantityOf } from "@hooklet/core/rules";
import { isThresholdSignal, type Signal, STALL_CAPACITY, type StalledResource } from "./signals.js";
import { type EvictionThreshold, isHard, type ThresholdValue } from "./thresholds.js";

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
 * @throws Error with the kubelet's text for the first fault; settings are checked in the order hard, soft, grace periods,
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

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};
/** A number with its unit; a unit is anything up to the next digit or dot, as in Go. */
const PART = /(\d*)(\.?)(\d*)([^.\d]*)/y;
/** Longer texts are refused unread: no duration needs them. */
const MAX_LENGTH = 256;
/** 2^63 nanoseconds, about 292 years. */
const MAX_SECONDS = 2 ** 63 / 1e9;

/** Seconds of `30s`, `1m30s`, `-2m`, `0`. @throws Error with Go's text */
export function parseGoDuration(text: string): number {
  const quoted = JSON.stringify(text);
  const invalid = (): Error => new Error(`time: invalid duration ${quoted}`);
  if (text.length > MAX_LENGTH) throw invalid();
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  const rest = text.slice(sign.length);
  if (rest === "0") return 0;
  if (rest === "") throw invalid();
  let seconds = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < rest.length) {
    const [, whole = "", , fraction = "", unit = ""] = PART.exec(rest) ?? [];
    if (whole === "" && fraction === "") throw invalid();
    if (unit === "") throw new Error(`time: missing unit in duration ${quoted}`);
    const factor = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
    if (factor === undefined) throw new Error(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    seconds += Number(`${whole || "0"}.${fraction || "0"}`) * factor;
    if (seconds > MAX_SECONDS) throw invalid();
  }
  return sign === "-" && seconds !== 0 ? -seconds : seconds;
}

/** Percent of a window that may be stalled. */
export interface StallLimits {
  /** Some process stood still. */
  readonly some?: number | undefined;
  /** All that had something to do stood still. */
  readonly full?: number | undefined;
  /** Seconds. */
  readonly window: number;
}

export type StallSettings = Readonly<Partial<Record<StalledResource, StallLimits | undefined>>>;

/** They are hard ones: their window is their grace period. */
export function stallThresholds(settings: StallSettings): readonly EvictionThreshold[] {
  const of = (resource: StalledResource, kind: "some" | "full"): readonly EvictionThreshold[] => {
    const percent = settings[resource]?.[kind];
    if (percent === undefined) return [];
    const quantity = quantityOf(STALL_CAPACITY - Math.round((percent / 100) * STALL_CAPACITY));
    return [{ signal: `psi.${resource}.${kind}`, value: { quantity }, gracePeriodSeconds: 0 }];
  };
  return (["memory", "io"] as const).flatMap((resource) => [...of(resource, "some"), ...of(resource, "full")]);
}

/** What is read of a resource: the shares of time over this many seconds. */
export type StallWindows = Readonly<Partial<Record<StalledResource, { readonly window: number }>>>;

/** What has to be read for these settings. */
export function stallWindows({ memory, io }: StallSettings): StallWindows {
  return { ...(memory === undefined ? {} : { memory }), ...(io === undefined ? {} : { io }) };
}
