/** Usage of pods as the runtime counts it, in place of their cgroups. Pure. */

import type { CgroupUsage, MemoryUsage } from "@hooklet/core/rules";
import type { ContainerStats } from "@hooklet/core/subsystem";
import type { MeasuredPod } from "./summary.js";
import type { PodUsage, TreeUsage } from "./tree.js";

const UNKNOWN: MemoryUsage = {
  usageBytes: undefined,
  workingSetBytes: undefined,
  rssBytes: undefined,
  swapBytes: undefined,
  swapLimitBytes: undefined,
  cacheBytes: undefined,
  pageFaults: undefined,
  majorPageFaults: undefined,
  limitBytes: undefined,
  oomKills: 0,
};

/**
 * CPU time and working set of each running container, and their sums for the pods. A pod without running containers is left out.
 * @param processes of containers, by their ids: where a runtime gives them their own cgroups
 */
export function countedByRuntime(
  all: readonly ContainerStats[],
  pods: readonly MeasuredPod[],
  at: number,
  processes: ReadonlyMap<string, readonly string[]> = new Map(),
): TreeUsage {
  const byId = new Map(all.map((one) => [one.id, one]));
  const byPod = new Map<string, PodUsage>();
  for (const { pod, containers } of pods) {
    const { uid } = pod.metadata;
    const own = new Map(
      containers.flatMap(({ id }) => {
        const counted = byId.get(id);
        if (counted === undefined) return [];
        const { cpuUsageNanoSeconds, memoryWorkingSetBytes } = counted;
        const pids = processes.get(id)?.length;
        return [[id, usageOf(`/${uid}/${id}`, at, cpuUsageNanoSeconds, memoryWorkingSetBytes, pids)] as const];
      }),
    );
    if (own.size === 0) continue;
    const sum = (amount: (one: CgroupUsage) => number | undefined): number | undefined => {
      const known = [...own.values()].flatMap((one) => amount(one) ?? []);
      return known.length === 0 ? undefined : known.reduce((total, one) => total + one, 0);
    };
    const usage = usageOf(
      `/${uid}`,
      at,
      sum(({ cpu }) => cpu.usageNanoSeconds),
      sum(({ memory }) => memory.workingSetBytes),
      sum(({ pids }) => pids),
    );
    byPod.set(uid, { usage, containers: own });
  }
  return { at, pods: undefined, qos: {}, byPod };
}

function usageOf(
  path: string,
  at: number,
  usageNanoSeconds: number | undefined,
  workingSetBytes: number | undefined,
  pids: number | undefined,
): CgroupUsage {
  return {
    at,
    path,
    cpu: { usageNanoSeconds, periods: 0, throttledPeriods: 0, throttledNanoSeconds: 0 },
    memory: { ...UNKNOWN, workingSetBytes },
    pids,
    pressure: {},
  };
}
