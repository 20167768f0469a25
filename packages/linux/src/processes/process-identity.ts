/** Who a process is: a pid alone may have gone to another one since. */

import { closeSync, openSync } from "node:fs";
import { unless } from "@hooklet/utils";
import { readAll } from "../kernel/kernel-reader.js";

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

// One line of /proc/<pid>/stat.

export interface ProcessStat {
  readonly pid: number;
  /** R, S, D, Z ... */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks between boot and the start of the process: with the pid and the boot id it identifies a process uniquely. */
  readonly startTicks: string;
  readonly cpuTicks: number;
  readonly residentPages: number;
}

/** Undefined when the line is not whole. The command name may hold spaces and brackets. */
export function parseStat(line: string): ProcessStat | undefined {
  const open = line.indexOf(" (");
  const close = line.lastIndexOf(") ");
  if (open < 1 || close < open) return undefined;
  const fields = line
    .slice(close + 2)
    .trim()
    .split(" ");
  const startTicks = fields[19];
  const number = (index: number): number => Number(fields[index]);
  if (startTicks === undefined || !/^\d+$/.test(startTicks)) return undefined;
  return {
    pid: Number(line.slice(0, open)),
    state: fields[0] ?? "",
    parent: number(1),
    group: number(2),
    session: number(3),
    startTicks,
    cpuTicks: number(11) + number(12),
    residentPages: number(21),
  };
}

/** Undefined when there is no such process. */
export function readStat(pid: number): ProcessStat | undefined {
  const path = `/proc/${pid}/stat`;
  return unless(["ENOENT", "ESRCH"], undefined, () => {
    // Half of what readFileSync costs, which takes 64 KiB for each file whose size it does not know.
    const file = openSync(path, "r");
    try {
      return parseStat(readAll(file, path));
    } finally {
      closeSync(file);
    }
  });
}
