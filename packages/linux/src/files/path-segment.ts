/** The last check of a path that is made of names. Pure. */

/** The name, when it can be one segment of a path. Names of pods are checked earlier; this catches mistakes. */
export function pathSegment(segment: string): string {
  if (segment === "" || segment === "." || segment === ".." || segment.includes("/") || segment.includes("\0")) {
    throw new Error(`${JSON.stringify(segment)} cannot be part of a path`);
  }
  return segment;
}
