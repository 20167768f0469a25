/** An object with keys: no list, no null. Pure. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The kind of a value that is no object, without showing it: a file that is no manifest may be a token. Pure. */
export function kindOfValue(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return value === null ? "nothing" : `a ${typeof value}`;
}
