/** The mounts of this process, as they are now. */
import { readFileSync } from "node:fs";
import { type MountedFs, parseMountinfo } from "@hooklet/linux";

export function readMounts(): readonly MountedFs[] {
  return parseMountinfo(readFileSync("/proc/self/mountinfo", "utf8"));
}
