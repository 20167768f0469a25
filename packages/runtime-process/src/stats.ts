/** What containers use: from their cgroups, or else from /proc. */
import { readdirSync } from "node:fs";
import type { ContainerStats } from "@hooklet/core/subsystem";
import { type ProcessStat, readStat } from "@hooklet/linux";
import type { Container } from "./container/container.js";

/** Linux' USER_HZ, the same on every machine. */
const NANOSECONDS_PER_TICK = 10_000_000;
const PAGE_BYTES = 4096;

interface Usage {
  readonly cpuNanoSeconds?: number;
  readonly workingSetBytes?: number;
}

/** @param layered whether containers have writable layers, rather than the machine's own files */
export function containerStats(containers: readonly Container[], layered: boolean): ContainerStats[] {
  let sessions: ReadonlyMap<number, readonly ProcessStat[]> | undefined;
  const usageOf = (pid: number): Usage => {
    sessions ??= statsBySession();
    return sessionUsage(sessions.get(pid) ?? []);
  };
  return containers.flatMap(({ id, cgroup, record, life, folder }) => {
    if (life.kind !== "running") return [];
    const usage = cgroup?.usage() ?? usageOf(life.processes.main.pid);
    return [
      {
        id,
        labels: record.config.labels,
        ...(layered && { writableLayerDirectory: folder }),
        ...(usage.cpuNanoSeconds !== undefined && { cpuUsageNanoSeconds: usage.cpuNanoSeconds }),
        ...(usage.workingSetBytes !== undefined && { memoryWorkingSetBytes: usage.workingSetBytes }),
      },
    ];
  });
}

/** Reads /proc once for all containers. Processes that left their container's session are not counted. */
function statsBySession(): Map<number, ProcessStat[]> {
  const sessions = new Map<number, ProcessStat[]>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (stat !== undefined) sessions.set(stat.session, [...(sessions.get(stat.session) ?? []), stat]);
  }
  return sessions;
}

function sessionUsage(stats: readonly ProcessStat[]): Usage {
  if (stats.length === 0) return {};
  return {
    cpuNanoSeconds: stats.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0) * NANOSECONDS_PER_TICK,
    workingSetBytes: stats.reduce((sum, { residentPages }) => sum + residentPages, 0) * PAGE_BYTES,
  };
}
