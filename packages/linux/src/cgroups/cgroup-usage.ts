/** What one cgroup uses, as its files have it: hundreds are read in one pass. Pure. */
import type { KernelFiles } from "../host.js";
import { type CgroupLayout, cgroupFolder } from "./cgroup-layout.js";

/** The kernel's files, opened for each reading or kept open. */
export type KernelRead = Pick<KernelFiles, "read">;

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
  /** Usage less inactive file pages: the value for evictions and dashboards. */
  readonly workingSetBytes: number | undefined;
  readonly rssBytes: number | undefined;
  readonly swapBytes: number | undefined;
  /** Undefined: no limit, or not read. */
  readonly swapLimitBytes: number | undefined;
  readonly cacheBytes: number | undefined;
  readonly pageFaults: number | undefined;
  readonly majorPageFaults: number | undefined;
  /** Its own; undefined: none. */
  readonly limitBytes: number | undefined;
  /** OOM kills in the cgroup. */
  readonly oomKills: number;
}

/** More than any machine has: v1 shows such a number where there is no limit. */
const NO_LIMIT = 2 ** 60;

type Read = (controller: string, file: string) => string | undefined;

/** The usage of a cgroup and all below it; undefined when it is not there. @param now milliseconds since the epoch */
export function readUsage(files: KernelRead, layout: CgroupLayout, path: string, now: number): CgroupUsage | undefined {
  const read = readerOf(files, layout, path);
  return layout.version === "v1" ? usageV1(read, path, now) : usageV2(read, path, now);
}

/** The memory of a cgroup and all below it, without anything else. */
export function readMemoryUsage(files: KernelRead, layout: CgroupLayout, path: string): MemoryUsage {
  const read = readerOf(files, layout, path);
  return layout.version === "v1" ? memoryV1(read) : memoryV2(read);
}

function readerOf(files: KernelRead, layout: CgroupLayout, path: string): Read {
  return (controller, file) => {
    const folder = cgroupFolder(layout, controller, path);
    return folder === undefined ? undefined : files.read(`${folder}/${file}`);
  };
}

function usageV1(read: Read, path: string, at: number): CgroupUsage | undefined {
  const nanoSeconds = read("cpuacct", "cpuacct.usage");
  const memory = memoryV1(read);
  const pids = read("pids", "pids.current");
  if (nanoSeconds === undefined && memory.usageBytes === undefined && pids === undefined) return undefined;
  const cpuStat = read("cpu", "cpu.stat") ?? "";
  return {
    at,
    path,
    cpu: {
      usageNanoSeconds: toNumber(nanoSeconds),
      periods: numberAfter(cpuStat, "nr_periods") ?? 0,
      throttledPeriods: numberAfter(cpuStat, "nr_throttled") ?? 0,
      throttledNanoSeconds: numberAfter(cpuStat, "throttled_time") ?? 0,
    },
    memory,
    pids: toNumber(pids),
    pressure: {},
  };
}

function memoryV1(read: Read): MemoryUsage {
  const used = toNumber(read("memory", "memory.usage_in_bytes"));
  const stat = read("memory", "memory.stat");
  return {
    usageBytes: used,
    workingSetBytes: lessInactive(used, amount(stat, "total_inactive_file")),
    rssBytes: amount(stat, "total_rss"),
    swapBytes: amount(stat, "total_swap") ?? 0,
    swapLimitBytes: swapLimitV1(stat ?? ""),
    cacheBytes: amount(stat, "total_cache"),
    pageFaults: amount(stat, "total_pgfault"),
    majorPageFaults: amount(stat, "total_pgmajfault"),
    limitBytes: limitOf(read("memory", "memory.limit_in_bytes")),
    oomKills: numberAfter(read("memory", "memory.oom_control") ?? "", "oom_kill") ?? 0,
  };
}

function usageV2(read: Read, path: string, at: number): CgroupUsage | undefined {
  const cpuStat = read("cpu", "cpu.stat");
  if (cpuStat === undefined) return undefined;
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
    memory: memoryV2(read),
    pids: toNumber(read("pids", "pids.current")),
    pressure: pressureOf(read),
  };
}

function memoryV2(read: Read): MemoryUsage {
  const stat = read("memory", "memory.stat");
  const used = toNumber(read("memory", "memory.current")) ?? anonymousAndCache(stat ?? "");
  return {
    usageBytes: used,
    workingSetBytes: lessInactive(used, amount(stat, "inactive_file")),
    rssBytes: amount(stat, "anon"),
    swapBytes: toNumber(read("memory", "memory.swap.current")) ?? 0,
    swapLimitBytes: toNumber(read("memory", "memory.swap.max")),
    cacheBytes: amount(stat, "file"),
    pageFaults: amount(stat, "pgfault"),
    majorPageFaults: amount(stat, "pgmajfault"),
    limitBytes: limitOf(read("memory", "memory.max")),
    oomKills: numberAfter(read("memory", "memory.events") ?? "", "oom_kill") ?? 0,
  };
}

/** The root cgroup of v2 has no memory.current: the kubelet takes these two in its place. */
function anonymousAndCache(stat: string): number | undefined {
  const [anonymous, cache] = [numberAfter(stat, "anon"), numberAfter(stat, "file")];
  return anonymous === undefined || cache === undefined ? undefined : anonymous + cache;
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

/** From an existing file, which leaves out zero values. */
function amount(stat: string | undefined, key: string): number | undefined {
  return stat === undefined ? undefined : (numberAfter(stat, key) ?? 0);
}

function lessInactive(used: number | undefined, inactive = 0): number | undefined {
  return used === undefined ? undefined : Math.max(0, used - inactive);
}

function limitOf(text: string | undefined): number | undefined {
  const limit = toNumber(text);
  return limit === undefined || limit >= NO_LIMIT ? undefined : limit;
}

/** Undefined for `max`, for nothing, and for what is no amount. */
function toNumber(text = ""): number | undefined {
  return /^\d+\s*$/.test(text) ? Number(text) : undefined;
}

/** The number that follows `key` at the beginning of a line; undefined when no line has it. */
export function numberAfter(text: string, key: string): number | undefined {
  const begin = startOf(text, `${key} `);
  if (begin === -1) return undefined;
  const end = text.indexOf("\n", begin);
  const number = Number(text.slice(begin, end === -1 ? undefined : end));
  return Number.isFinite(number) ? number : undefined;
}

function startOf(text: string, key: string): number {
  if (text.startsWith(key)) return key.length;
  const at = text.indexOf(`\n${key}`);
  return at === -1 ? -1 : at + 1 + key.length;
}

/** Pressure stall information: shares of time in percent, `total` in microseconds. */
export interface Pressure {
  readonly some: PressureLine;
  /** Absent for cpu on older kernels. */
  readonly full?: PressureLine;
}

export interface PressureLine {
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
  readonly total: number;
}

const LINE = /^(some|full) avg10=([\d.]+) avg60=([\d.]+) avg300=([\d.]+) total=(\d+)$/;

/** Undefined when there is none: an older kernel, or PSI is switched off. */
export function parsePressure(text: string): Pressure | undefined {
  const lines = new Map<string, PressureLine>();
  for (const line of text.split("\n")) {
    const [, kind, avg10, avg60, avg300, total] = LINE.exec(line) ?? [];
    if (kind === undefined) continue;
    lines.set(kind, { avg10: Number(avg10), avg60: Number(avg60), avg300: Number(avg300), total: Number(total) });
  }
  const [some, full] = [lines.get("some"), lines.get("full")];
  return some && { some, ...(full && { full }) };
}
