/** Where something is mounted. */
import { readFileSync } from "node:fs";
import { parseMountinfo } from "./mountinfo.js";

/** A name that the kernel writes as it is. */
const PLAIN = /^[\w./@:+-]*$/;

/**
 * Mount points in the order in which they were made. The kernel lists them without links. `near`: mounts without this in their
 * path may be left out; on a machine with many mounts most calls end there.
 */
export function mountPoints(near = ""): readonly string[] {
  const text = readFileSync("/proc/self/mountinfo", "utf8");
  const plain = PLAIN.test(near);
  if (plain && !text.includes(near)) return [];
  const lines = plain ? text.split("\n").filter((line) => line.includes(near)) : [text];
  return parseMountinfo(lines.join("\n")).map(({ mountPoint }) => mountPoint);
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
