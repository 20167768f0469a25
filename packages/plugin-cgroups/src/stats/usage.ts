/** What one cgroup uses, read from its files. */
import { type CgroupLayout, folderOf } from "../host/hierarchies.js";
import type { CgroupFiles } from "../host/port.js";
import { numberAfter, type Pressure, parsePressure } from "./parse.js";

export interface CgroupUsage {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** cgroupfs path. */
  readonly path: string;
  readonly cpu: CpuUsage;
  readonly memory: MemoryUsage;
  /** Threads: what `pids.max` counts. */
  readonly pids: number | undefined;
  /** PSI of cpu, memory and io, where the kernel has it (cgroup v2). */
  readonly pressure: Readonly<Partial<Record<"cpu" | "memory" | "io", Pressure>>>;
}

export interface CpuUsage {
  /** Nanoseconds since the cgroup was made; undefined when the kernel does not tell. */
  readonly usageNanoSeconds: number | undefined;
  /** Periods of the quota that passed, and in how many of them the cgroup was held back. */
  readonly periods: number;
  readonly throttledPeriods: number;
  readonly throttledNanoSeconds: number;
}

/** Bytes, but for faults and kills. Undefined: the kernel does not tell. */
export interface MemoryUsage {
  readonly usageBytes: number | undefined;
  /** Usage less file pages that nobody touched for long: what evictions and dashboards go by. */
  readonly workingSetBytes: number | undefined;
  readonly rssBytes: number | undefined;
  readonly swapBytes: number;
  /** Undefined: no limit of its own, or not asked for. */
  readonly swapLimitBytes: number | undefined;
  readonly cacheBytes: number | undefined;
  readonly pageFaults: number | undefined;
  readonly majorPageFaults: number | undefined;
  /** Its own; undefined: none. */
  readonly limitBytes: number | undefined;
  /** Processes that the kernel killed in it for want of memory. */
  readonly oomKills: number;
}

/** More than any machine has: v1 shows such a number where there is no limit. */
const NO_LIMIT = 2 ** 60;

/** The usage of a cgroup and all below it; undefined when it is not there. @param now milliseconds since the epoch */
export function readUsage(
  files: Pick<CgroupFiles, "read">,
  layout: CgroupLayout,
  path: string,
  now: number,
): CgroupUsage | undefined {
  const read = (controller: string, file: string): string | undefined => {
    const folder = folderOf(layout, controller, path);
    return folder === undefined ? undefined : files.read(`${folder}/${file}`);
  };
  return layout.version === "v1" ? usageV1(read, path, now) : usageV2(read, path, now);
}

type Read = (controller: string, file: string) => string | undefined;

function usageV1(read: Read, path: string, at: number): CgroupUsage | undefined {
  const nanoSeconds = read("cpuacct", "cpuacct.usage");
  const used = read("memory", "memory.usage_in_bytes");
  const pids = read("pids", "pids.current");
  if (nanoSeconds === undefined && used === undefined && pids === undefined) return undefined;
  const cpuStat = read("cpu", "cpu.stat") ?? "";
  const stat = read("memory", "memory.stat");
  const limit = toNumber(read("memory", "memory.limit_in_bytes"));
  return {
    at,
    path,
    cpu: {
      usageNanoSeconds: toNumber(nanoSeconds),
      periods: numberAfter(cpuStat, "nr_periods") ?? 0,
      throttledPeriods: numberAfter(cpuStat, "nr_throttled") ?? 0,
      throttledNanoSeconds: numberAfter(cpuStat, "throttled_time") ?? 0,
    },
    memory: {
      usageBytes: toNumber(used),
      workingSetBytes: lessInactive(toNumber(used), amount(stat, "total_inactive_file")),
      rssBytes: amount(stat, "total_rss"),
      swapBytes: amount(stat, "total_swap") ?? 0,
      swapLimitBytes: swapLimitV1(stat ?? ""),
      cacheBytes: amount(stat, "total_cache"),
      pageFaults: amount(stat, "total_pgfault"),
      majorPageFaults: amount(stat, "total_pgmajfault"),
      limitBytes: limit === undefined || limit >= NO_LIMIT ? undefined : limit,
      oomKills: numberAfter(read("memory", "memory.oom_control") ?? "", "oom_kill") ?? 0,
    },
    pids: toNumber(pids),
    pressure: {},
  };
}

function usageV2(read: Read, path: string, at: number): CgroupUsage | undefined {
  const cpuStat = read("cpu", "cpu.stat");
  if (cpuStat === undefined) return undefined;
  const used = toNumber(read("memory", "memory.current"));
  const stat = read("memory", "memory.stat");
  const micros = numberAfter(cpuStat, "usage_usec");
  return {
    at,
    path,
    cpu: {
      usageNanoSeconds: micros === undefined ? undefined : micros * 1000,
      periods: numberAfter(cpuStat, "nr_periods") ?? 0,
      throttledPeriods: numberAfter(cpuStat, "nr_throttled") ?? 0,
      throttledNanoSeconds: (numberAfter(cpuStat, "throttled_usec") ?? 0) * 1000,
    },
    memory: {
      usageBytes: used,
      workingSetBytes: lessInactive(used, amount(stat, "inactive_file")),
      rssBytes: amount(stat, "anon"),
      swapBytes: toNumber(read("memory", "memory.swap.current")) ?? 0,
      swapLimitBytes: toNumber(read("memory", "memory.swap.max")),
      cacheBytes: amount(stat, "file"),
      pageFaults: amount(stat, "pgfault"),
      majorPageFaults: amount(stat, "pgmajfault"),
      limitBytes: toNumber(read("memory", "memory.max")),
      oomKills: numberAfter(read("memory", "memory.events") ?? "", "oom_kill") ?? 0,
    },
    pids: toNumber(read("pids", "pids.current")),
    pressure: pressureOf(read),
  };
}

/** v1 limits memory and swap together: the least of the cgroup and those above it. */
function swapLimitV1(stat: string): number | undefined {
  const both = numberAfter(stat, "hierarchical_memsw_limit");
  const memory = numberAfter(stat, "hierarchical_memory_limit");
  return both === undefined || both >= NO_LIMIT ? undefined : Math.max(0, both - (memory ?? 0));
}

function pressureOf(read: Read): CgroupUsage["pressure"] {
  const found: Partial<Record<"cpu" | "memory" | "io", Pressure>> = {};
  for (const what of ["cpu", "memory", "io"] as const) {
    const pressure = parsePressure(read(what, `${what}.pressure`) ?? "");
    if (pressure !== undefined) found[what] = pressure;
  }
  return found;
}

/** Of a file that is there, and does not name what it has none of. */
function amount(stat: string | undefined, key: string): number | undefined {
  return stat === undefined ? undefined : (numberAfter(stat, key) ?? 0);
}

function lessInactive(used: number | undefined, inactive = 0): number | undefined {
  return used === undefined ? undefined : Math.max(0, used - inactive);
}

/** Undefined for `max` and for nothing. */
function toNumber(text: string | undefined): number | undefined {
  const number = Number.parseInt(text ?? "", 10);
  return Number.isFinite(number) ? number : undefined;
}
