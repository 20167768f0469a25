/** Who a process is: a pid alone may have gone to another one since. */
import { readFileSync } from "node:fs";
import { errno } from "@hooklet/core";
import { isMissing } from "../fs-errors.js";
import { parseStat, readStat } from "./stat.js";

export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: string;
}

/** A container's first process and the shim beside it, in one life of the machine. */
export interface ContainerProcesses {
  readonly bootId: string;
  readonly main: ProcessIdentity;
  readonly shim: ProcessIdentity;
}

/** The file `pids` as the inner script writes it. Undefined when it is not whole. */
export function parsePids(text: string): ContainerProcesses | undefined {
  const [bootId, main, shim, end] = text.split("\n");
  if (bootId === undefined || main === undefined || shim === undefined || end !== "end") return undefined;
  const mainStat = parseStat(main);
  const shimStat = parseStat(shim);
  if (mainStat === undefined || shimStat === undefined || mainStat.pid <= 1 || shimStat.pid <= 1) return undefined;
  return {
    bootId,
    main: { pid: mainStat.pid, startTicks: mainStat.startTicks },
    shim: { pid: shimStat.pid, startTicks: shimStat.startTicks },
  };
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
 * Sends a signal to this very process; false when it is gone. The one way by which signals are sent here: a pid that was found a
 * while ago may have gone to another process. Between this look and the signal is one system call, in which the kernel would have to
 * give out all pids once.
 */
export function signalProcess(target: ProcessIdentity, signal: number): boolean {
  return isAlive(target) && sendSignal(target.pid, signal);
}

function sendSignal(pid: number, signal: number): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (errno(error) === "ESRCH" || isMissing(error)) return false;
    throw error;
  }
}

export function currentBootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
}
