/** Values at paths. Quick to load. Pure. */

/** Puts a value at a path; what stands in its way and is no record is replaced. Records on the way are copied, not changed. */
export function setAt(into: Record<string, unknown>, [first = "", ...inner]: readonly string[], value: unknown): void {
  if (inner.length === 0) {
    into[first] = value;
    return;
  }
  const before = into[first];
  const below = typeof before === "object" && !Array.isArray(before) ? { ...before } : {};
  setAt(below as Record<string, unknown>, inner, value);
  into[first] = below;
}
