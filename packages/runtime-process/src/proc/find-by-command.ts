import { readdirSync, readFileSync } from "node:fs";

/** Pids of processes that name this path in their command line: shims and set-ups of one container. A look over /proc. */
export function findByCommand(path: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 1 && pid !== process.pid && readCommandLine(pid).includes(path));
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
