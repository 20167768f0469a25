/** The last guard of a path that is made of names. Pure. */

/** The name, when it can be one step of a path. Names of pods reach here checked; this keeps a slip from leaving the folder. */
export function pathSegment(segment: string): string {
  if (segment === "" || segment === "." || segment === ".." || segment.includes("/") || segment.includes("\0")) {
    throw new Error(`${JSON.stringify(segment)} cannot be part of a path`);
  }
  return segment;
}
