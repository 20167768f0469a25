import type { FieldFaults } from "../field-faults.js";
import type { FieldPath } from "../path.js";

/** Checks one part of a defaulted pod at its path and adds what is wrong to the faults. Pure otherwise. */
export type Rule<Part> = (part: Part, path: FieldPath, faults: FieldFaults) => void;

/** The value must be one of these; an empty one counts as missing. */
export function oneOf(value: string, supported: readonly string[], path: FieldPath, faults: FieldFaults): void {
  if (value === "") faults.required(path);
  else if (!supported.includes(value)) faults.unsupported(path, value, supported);
}

/** An absolute path of the node or the container, without any way up. */
export function absolutePath(value: string, path: FieldPath, faults: FieldFaults): void {
  if (!value.startsWith("/")) faults.invalid(path, value, "must be an absolute path");
  if (value.split("/").includes("..")) faults.invalid(path, value, "must not contain '..'");
}

/** Names must be unique in a list; empty ones are faults of another kind. */
export function unique(seen: Set<string>, value: string, path: FieldPath, faults: FieldFaults): void {
  if (value === "") return;
  if (seen.has(value)) faults.duplicate(path, value);
  seen.add(value);
}
