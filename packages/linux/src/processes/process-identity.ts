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

/** Who has this pid now; undefined when nobody does. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid);
  return stat && { pid, startTicks: stat.startTicks };
}

/**
 * Who a list of pids means. Whom it still has when they have been looked at is who was meant: a pid that went to somebody else meanwhile
 * is on no second list, and one that came back to the list belongs to a process that began later.
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
