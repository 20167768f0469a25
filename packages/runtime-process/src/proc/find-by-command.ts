import { readdirSync, readFileSync } from "node:fs";

/** Pids of processes that name this path in their command line: shims and set-ups of one container. A look over /proc. */
export function findByCommand(path: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 1 && pid !== process.pid && commandLine(pid).includes(path));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // Gone meanwhile.
    return "";
  }
}
