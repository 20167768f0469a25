/** Who a process is: a pid alone may have gone to another one since. */
import { readStat } from "./process-stat.js";

export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks between boot and the start of the process. */
  readonly startTicks: string;
}

/** A zombie counts as gone: it has ended. */
export function isAlive(process: ProcessIdentity): boolean {
  const stat = readStat(process.pid);
  return stat !== undefined && stat.startTicks === process.startTicks && stat.state !== "Z" && stat.state !== "X";
}

/** The process that has this pid now; undefined without one. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid);
  return stat && { pid, startTicks: stat.startTicks };
}

/**
 * Identifies the processes of a list of pids. A process whose pid is still on a second list is the one that was meant: a pid that another
 * process got meanwhile is not on it, and a pid that came back to the list belongs to a process that began later.
 */
export function identifyListed(
  list: () => readonly number[],
  who: (pid: number) => ProcessIdentity | undefined = identify,
): readonly ProcessIdentity[] {
  const found = list().flatMap((pid) => who(pid) ?? []);
  if (found.length === 0) return [];
  const still = new Set(list());
  return found.filter(({ pid }) => still.has(pid));
}
