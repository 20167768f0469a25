/** Who a container's processes are. */
import { readFileSync } from "node:fs";
import { type ProcessIdentity, parseStat } from "@hooklet/linux";

/** A container's first process and its shim, within one boot of the machine. */
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

export function currentBootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
}
