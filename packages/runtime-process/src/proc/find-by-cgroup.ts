import { readdirSync, readFileSync } from "node:fs";
import { identify, type ProcessIdentity } from "@hooklet/core/host";

/** Processes in a cgroup of this name, or below it, in any hierarchy: what the kernel tells, whatever the files on disk say. A look over /proc. */
export function findByCgroup(name: string): ProcessIdentity[] {
  return readdirSync("/proc")
    .map(Number)
    .flatMap((pid) => {
      if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) return [];
      // First who it is: another one with this pid would have another start time.
      const found = identify(pid);
      return found !== undefined && cgroupsOf(pid).includes(`/${name}`) ? [found] : [];
    });
}

/** "" when the process has gone. */
function cgroupsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, "latin1");
  } catch {
    return "";
  }
}
