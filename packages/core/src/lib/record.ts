/** Records: what JSON calls an object. Pure. */
import { isRecord } from "@hooklet/manifest";

/** An object as a literal or JSON makes it, and not an instance of a class. */
export function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Puts a value at a path; what stands in its way and is no record is replaced. Records on the way are copied, not changed. */
export function setAt(into: Record<string, unknown>, [first = "", ...inner]: readonly string[], value: unknown): void {
  if (inner.length === 0) {
    into[first] = value;
    return;
  }
  const before = into[first];
  const below = isRecord(before) ? { ...before } : {};
  setAt(below, inner, value);
  into[first] = below;
}
