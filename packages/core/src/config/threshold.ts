/** Eviction thresholds: their values, and the kubelet's reading of them (pkg/kubelet/eviction helpers, api). Pure. */
import { formatQuantity, parseQuantity, type Quantity, quantityOf } from "@hooklet/manifest";

/** How little may be left of something: an amount, or a share of the capacity (0.1 = 10 %). */
export type Threshold = { readonly quantity: Quantity } | { readonly percentage: number };

/** The kubelet takes these two texts, and no other way to write them, as no threshold at all. */
const SWITCHED_OFF = ["0%", "100%"];

/**
 * Reads `100Mi` or `10%`; undefined when the text switches the signal off.
 * @throws Error with the kubelet's text. Other than the kubelet's, it refuses `NaN%`.
 */
export function parseThreshold(signal: string, text: string): Threshold | undefined {
  if (SWITCHED_OFF.includes(text)) return undefined;
  if (text.endsWith("%")) {
    const percentage = parsePercentage(text);
    const bounds = (rule: string): Error =>
      new Error(`eviction percentage threshold ${signal} must be ${rule}: ${text}`);
    if (!(percentage >= 0)) throw bounds(">= 0%");
    if (percentage > 1) throw bounds("<= 100%");
    return { percentage };
  }
  const quantity = parseQuantity(text);
  if (quantity.nano <= 0n) {
    throw new Error(`eviction threshold ${signal} must be positive: ${formatQuantity(quantity)}`);
  }
  return { quantity };
}

const FLOAT = /^[+-]?(?:(?=\.?\d)\d*\.?\d*(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i;
/** The greatest 32-bit float, and half a step. */
const MAX_FLOAT32 = (2 - 2 ** -24) * 2 ** 127;

/** The share that a text such as `25.5%` names, as a 32-bit float: 0.255. All percent signs at its end are cut. @throws Error with Go's text */
export function parsePercentage(text: string): number {
  const digits = text.replace(/%+$/, "");
  const fault = (what: string): Error => new Error(`strconv.ParseFloat: parsing ${JSON.stringify(digits)}: ${what}`);
  if (digits.length > 256 || !FLOAT.test(digits)) throw fault("invalid syntax");
  const number = Number(digits.replace(/inf(inity)?$/i, "Infinity").replace(/^[+-]?nan$/i, "NaN"));
  if (Math.abs(number) >= MAX_FLOAT32 && !/inf/i.test(digits)) throw fault("value out of range");
  // The kubelet holds shares as 32-bit floats; this decides the last bytes of a big disk.
  return Math.fround(Math.fround(number) / 100);
}

/** The amount of a threshold; a percentage is rounded down and printed with a binary suffix. */
export function thresholdQuantity(threshold: Threshold, capacity: number): Quantity {
  if ("quantity" in threshold) return threshold.quantity;
  return quantityOf(Math.trunc(capacity * Math.fround(threshold.percentage)), "BinarySI");
}

/** What a threshold can be about. */
export const evictionSignals = [
  "memory.available",
  "allocatableMemory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "containerfs.available",
  "containerfs.inodesFree",
  "pid.available",
] as const;

/** The kubelet's own on Linux. */
export const defaultEvictionHard: Readonly<Record<string, string>> = {
  "memory.available": "100Mi",
  "nodefs.available": "10%",
  "nodefs.inodesFree": "5%",
  "imagefs.available": "15%",
  "imagefs.inodesFree": "5%",
};

/** What holds when `given` is set: that alone, or with `merge` (mergeDefaultEvictionSettings) on top of the defaults. */
export function effectiveEvictionHard(
  given: Readonly<Record<string, string>> | undefined,
  merge: boolean,
): Readonly<Record<string, string>> {
  return given === undefined || merge ? { ...defaultEvictionHard, ...given } : given;
}
