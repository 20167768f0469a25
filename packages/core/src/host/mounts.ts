/** Where something is mounted. */
import { readFileSync } from "node:fs";
import { mountPointOf } from "./mountinfo.js";

/** Mount points in the order in which they were made. The kernel tells them without links. */
export function mountPoints(): readonly string[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map(mountPointOf);
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
