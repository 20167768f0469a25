import { readdirSync, readFileSync } from "node:fs";
import { identify, type ProcessIdentity } from "@hooklet/core/host";

/** Processes that name this path in their command line: shims and set-ups of one container. A look over /proc. */
export function findByCommand(path: string): ProcessIdentity[] {
  return readdirSync("/proc")
    .map(Number)
    .flatMap((pid) => {
      if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) return [];
      // First who it is: another one with this pid would have another start time.
      const found = identify(pid);
      return found !== undefined && readCommandLine(pid).includes(path) ? [found] : [];
    });
}

/** /proc/<pid>/cmdline, each word ended by a NUL; "" when the process has gone or is a zombie. */
export function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // Gone meanwhile.
    return "";
  }
}
