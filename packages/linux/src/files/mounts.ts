/** Where something is mounted. */
import { readFileSync } from "node:fs";
import { type MountedFs, type MountTable, mountTable } from "./mountinfo.js";

let last: { readonly text: string; readonly table: MountTable; readonly mounts: readonly MountedFs[] } | undefined;

/** The mounts of this process as they are now, in the order in which they were made. The kernel lists them without links. */
export function readMounts(): readonly MountedFs[] {
  const text = readFileSync("/proc/self/mountinfo", "utf8");
  if (text !== last?.text) {
    const table = mountTable(text, last?.table);
    last = { text, table, mounts: [...table.values()] };
  }
  return last.mounts;
}

export function mountPoints(): readonly string[] {
  return readMounts().map(({ mountPoint }) => mountPoint);
}

/**
 * What a path shares its fate with when it hangs: the mount that it lies on. Of what lies on `/`, only itself: a link there may lead
 * anywhere.
 */
export function hangsTogether(path: string, points = mountPoints()): string {
  let found = "/";
  for (const point of points) {
    if (point.length > found.length && (path === point || path.startsWith(`${point}/`))) found = point;
  }
  return found === "/" ? path : found;
}
