/** Pure. */
import { didYouMean } from "@hooklet/manifest";
import { foundText, isNodeAgentError, NodeAgentError } from "@hooklet/utils";

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
  /** Known names similar to the given one. */
  readonly nearest?: readonly string[];
}

/** A fault in a value, before it is known where the value stands. */
export interface ValueFault {
  readonly path: Path;
  readonly expected: string;
  readonly found: string;
  readonly nearest?: readonly string[];
}

/** All faults of a configuration. */
export class ConfigFaultsError extends NodeAgentError {
  constructor(readonly faults: readonly ConfigFault[]) {
    const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
    const lines = faults.map((fault) => `\n  ${faultText(fault)}`);
    super("CONFIG_FAULTS", `The configuration has ${count}:${lines.join("")}`);
  }
}

/** Checks the code, not the class: a plugin may have loaded its own copy of core. */
export function isConfigFaultsError(error: unknown): error is ConfigFaultsError {
  return isNodeAgentError(error, "CONFIG_FAULTS");
}

/** `FILE:LINE:COLUMN PATH: expected …, found ….`, or the fault alone when that says it all, and the nearest names. */
export function faultText(fault: ConfigFault): string {
  const place = [fault.file, fault.line, fault.column].filter((part) => part !== undefined).join(":");
  const path = fault.path === "" ? "" : ` ${fault.path}`;
  return `${place}${path}: ${wrongText(fault)}.${didYouMean(fault.nearest ?? [])}`;
}

function wrongText({ expected, found }: Pick<ConfigFault, "expected" | "found">): string {
  if (/^no such file\b/.test(found)) return found;
  if (expected === "YAML" || expected === "JSON") return `invalid ${expected}: ${found}`;
  if (!found.startsWith("unknown option ")) return `expected ${expected}, found ${found}`;
  const [, known] = /^a known option \((.*)\)$/.exec(expected) ?? [];
  return known === undefined ? found : `${found}; known are ${known}`;
}

export function valueFault(path: Path, expected: string, found: unknown, nearest?: readonly string[]): ValueFault {
  const fault = { path, expected, found: foundText(found) };
  return nearest === undefined || nearest.length === 0 ? fault : { ...fault, nearest };
}

/** A fault that describes what was found instead of printing the value. */
export function wordFault(path: Path, expected: string, found: string, nearest?: readonly string[]): ValueFault {
  const fault = { path, expected, found };
  return nearest === undefined || nearest.length === 0 ? fault : { ...fault, nearest };
}

/** `node.systemReserved.cpu`, `plugins[1].order`, `labels["example.com/a"]`. */
export function pathText(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}
