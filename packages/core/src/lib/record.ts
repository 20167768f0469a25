/** Records: what JSON calls an object. Pure. */
import { isRecord } from "@hooklet/manifest";

/** An object as a literal or JSON makes it, and not an instance of a class. */
export function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
