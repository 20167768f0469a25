/** Eviction thresholds: their values, and the kubelet's reading of them (pkg/kubelet/eviction helpers, api). Pure. */
import { type Quantity } from "@hooklet/manifest";
/** How little may be left of something: an amount, or a share of the capacity (0.1 = 10 %). */
export type Threshold =
  | {
      readonly quantity: Quantity;
    }
  | {
      readonly percentage: number;
    };
/**
 * Reads `100Mi` or `10%`; undefined when the text switches the signal off.
 * @throws Error with the kubelet's text. Other than the kubelet's, it refuses `NaN%`.
 */
export declare function parseThreshold(signal: string, text: string): Threshold | undefined;
/** The share that a text such as `25.5%` names, as a 32-bit float: 0.255. All percent signs at its end are cut. @throws Error with Go's text */
export declare function parsePercentage(text: string): number;
/** The amount a threshold stands for; a share is cut to a whole number and always printed as a binary one. */
export declare function thresholdQuantity(threshold: Threshold, capacity: number): Quantity;
/** What a threshold can be about. */
export declare const evictionSignals: readonly [
  "memory.available",
  "allocatableMemory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "containerfs.available",
  "containerfs.inodesFree",
  "pid.available",
];
/** The kubelet's own on Linux. */
export declare const defaultEvictionHard: Readonly<Record<string, string>>;
/** What holds when `given` is set: that alone, or with `merge` (mergeDefaultEvictionSettings) on top of the defaults. */
export declare function effectiveEvictionHard(
  given: Readonly<Record<string, string>> | undefined,
  merge: boolean,
): Readonly<Record<string, string>>;
