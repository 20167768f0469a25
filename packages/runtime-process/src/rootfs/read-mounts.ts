/** The mounts of this process, as they are now. */
import { accessSync, constants, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type MountedFs, parseMountinfo } from "./mountinfo.js";

export function readMounts(): MountedFs[] {
  return parseMountinfo(readFileSync("/proc/self/mountinfo", "utf8"));
}

/**
 * Whether this user may go to where something is mounted: behind a folder that is closed for it neither mount(8) nor its containers come.
 * What is mounted there is not touched: it may hang.
 */
export function isReachable(mountPoint: string): boolean {
  try {
    accessSync(dirname(mountPoint), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
