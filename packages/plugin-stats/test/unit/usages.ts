import type { CgroupUsage, MemoryUsage } from "@hooklet/core/rules";

const memory: MemoryUsage = {
  usageBytes: 11,
  workingSetBytes: 12,
  rssBytes: 13,
  swapBytes: 14,
  swapLimitBytes: 15,
  cacheBytes: 16,
  pageFaults: 17,
  majorPageFaults: 18,
  limitBytes: 19,
  oomKills: 0,
};

/** What a cgroup uses: no two numbers are the same. */
export function aUsage(path: string, more: Partial<CgroupUsage> = {}): CgroupUsage {
  const cpu = { usageNanoSeconds: 2_500_000_000, periods: 0, throttledPeriods: 5, throttledNanoSeconds: 3_000_000_000 };
  return { at: 7_900, path, cpu, memory, pids: 6, pressure: {}, ...more };
}
