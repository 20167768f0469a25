/** The bounds that every host keeps, real or simulated. */
import { type Clock, hostUnavailable, invalid, ownSignal, withDeadline } from "@hooklet/utils";
import type { DiskUsage, HostFileSystem } from "./host.js";

/** Seconds. */
const STATFS_DEADLINE = 5;
export const DISK_USAGE_DEADLINE = 30;

export function boundedStatfs(clock: Clock, path: string, call: Promise<HostFileSystem>): Promise<HostFileSystem> {
  return withDeadline(clock, STATFS_DEADLINE * 1000, call, () =>
    hostUnavailable(
      `The file system of ${path} did not report its size within ${STATFS_DEADLINE} s; a network file system whose server is gone hangs so`,
    ),
  );
}

/** Gives up, and stops the count, when time is up or the caller's signal aborts. */
export async function boundedDiskUsage(
  clock: Clock,
  path: string,
  signal: AbortSignal | undefined,
  count: (stop: AbortSignal) => Promise<DiskUsage>,
): Promise<DiskUsage> {
  signal?.throwIfAborted();
  const own = ownSignal(signal);
  try {
    return await withDeadline(clock, DISK_USAGE_DEADLINE * 1000, count(own.signal), () => countedTooLong(path));
  } finally {
    own.close();
    own.abort(undefined);
  }
}

export function countedTooLong(path: string): Error {
  return uncounted(path, `expected within ${DISK_USAGE_DEADLINE} s, still counting`);
}

export function uncounted(path: string, what: string): Error {
  return hostUnavailable(`The disk usage of ${path} could not be counted: ${what}`);
}

/** 0 and below would be whole groups of processes, 1 is init. @throws NodeAgentError INVALID */
export function checkPid(pid: number): void {
  if (!Number.isInteger(pid) || pid <= 1) throw invalid("kill", "the pid of a process, above 1", pid);
}
