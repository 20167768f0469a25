import { NodeAgentError } from "../errors.js";
/** Keys and indexes from the root of a document: `["plugins", 1, "highThresholdPercent"]`. */
export type Path = readonly (string | number)[];
/** One fault of the configuration. */
export interface ConfigFault {
  /** The rc file, a plugin's file, or the flag of the command line. */
  readonly file: string;
  /** From 1, where known. */
  readonly line?: number;
  readonly column?: number;
  /** `plugins[1].highThresholdPercent`; "" is the whole file. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  /** Known names near to the one that was found. */
  readonly nearest?: readonly string[];
}
/** A fault in a value, before it is known where the value stands. */
export interface ValueFault {
  readonly path: Path;
  readonly expected: string;
  readonly found: string;
  readonly nearest?: readonly string[];
}
/** All faults of a configuration. Nothing was started. */
export declare class ConfigFaultsError extends NodeAgentError {
  readonly faults: readonly ConfigFault[];
  constructor(faults: readonly ConfigFault[]);
}
/** By its code: a plugin may have loaded a copy of core of its own. */
export declare function isConfigFaultsError(error: unknown): error is ConfigFaultsError;
/** `FILE:LINE:COLUMN PATH: expected …, found ….` and the nearest names. */
export declare function faultText(fault: ConfigFault): string;
export declare function valueFault(
  path: Path,
  expected: string,
  found: unknown,
  nearest?: readonly string[],
): ValueFault;
/** A fault whose finding is told in words instead of by value. */
export declare function wordFault(path: Path, expected: string, found: string, nearest?: readonly string[]): ValueFault;
/** `node.systemReserved.cpu`, `plugins[1].order`, `labels["example.com/a"]`. */
export declare function pathText(path: Path): string;
