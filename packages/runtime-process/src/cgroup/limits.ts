/** CRI's resources as cgroup files. Pure. */
import { RuntimeError } from "@hooklet/core/host";
import { sharesToWeight } from "@hooklet/core/rules";
import type { LinuxContainerResources } from "@hooklet/core/subsystem";

export interface CgroupWrite {
  readonly controller: string;
  readonly file: string;
  readonly value: string;
}

/** Absent and 0 leave the kernel's default alone, as CRI has it. */
export function limitsV1(resources: LinuxContainerResources): CgroupWrite[] {
  const writes = new Writes();
  const { cpuShares, cpuPeriod, cpuQuota, memoryLimitInBytes: memory, memorySwapLimitInBytes: swap } = resources;
  if (cpuShares) writes.add("cpu", "cpu.shares", cpuShares);
  if (cpuPeriod) writes.add("cpu", "cpu.cfs_period_us", cpuPeriod);
  if (cpuQuota) writes.add("cpu", "cpu.cfs_quota_us", cpuQuota);
  if (memory) writes.add("memory", "memory.limit_in_bytes", memory);
  if (swap) writes.add("memory", "memory.memsw.limit_in_bytes", swap);
  addCpuset(writes, resources);
  for (const { pageSize, limit } of resources.hugepageLimits ?? []) {
    if (limit > 0) writes.add("hugetlb", `hugetlb.${pageSize}.limit_in_bytes`, limit);
  }
  return writes.list;
}

/** `unified` comes last: it is more exact. */
export function limitsV2(resources: LinuxContainerResources): CgroupWrite[] {
  const writes = new Writes();
  const { cpuShares, cpuPeriod, cpuQuota, memoryLimitInBytes: memory, memorySwapLimitInBytes: swap } = resources;
  if (cpuShares) writes.add("cpu", "cpu.weight", sharesToWeight(cpuShares));
  if (cpuQuota || cpuPeriod) {
    writes.add("cpu", "cpu.max", `${cpuQuota && cpuQuota > 0 ? cpuQuota : "max"} ${cpuPeriod || 100000}`);
  }
  if (memory) writes.add("memory", "memory.max", memory < 0 ? "max" : memory);
  if (swap && memory && swap >= memory) writes.add("memory", "memory.swap.max", swap - memory);
  addCpuset(writes, resources);
  for (const { pageSize, limit } of resources.hugepageLimits ?? []) {
    if (limit > 0) writes.add("hugetlb", `hugetlb.${pageSize}.max`, limit);
  }
  for (const [file, value] of Object.entries(resources.unified ?? {})) {
    if (!/^[a-z]+(\.[A-Za-z0-9_]+)+$/.test(file)) {
      throw new RuntimeError(
        "invalid-argument",
        `linux.resources.unified: expected names of cgroup files like memory.high, found ${JSON.stringify(file)}`,
      );
    }
    writes.add(file.slice(0, file.indexOf(".")), file, value);
  }
  return writes.list;
}

const MEMORY_V1 = "/memory.limit_in_bytes";
const WITH_SWAP_V1 = "/memory.memsw.limit_in_bytes";

/** The kernel keeps the limit of memory at or below that of memory and swap: the second grows first and shrinks last. */
export function inOrder<Write extends { readonly path: string; readonly value: string }>(
  writes: readonly Write[],
  read: (path: string) => string,
): readonly Write[] {
  const memory = writes.find(({ path }) => path.endsWith(MEMORY_V1));
  const both = writes.find(({ path }) => path.endsWith(WITH_SWAP_V1));
  if (memory === undefined || both === undefined || !grows(read(both.path), both.value)) return writes;
  return writes.flatMap((write) => (write === both ? [] : write === memory ? [both, memory] : [write]));
}

function grows(before: string, after: string): boolean {
  return after === "-1" || Number(after) > Number(before);
}

function addCpuset(writes: Writes, resources: LinuxContainerResources): void {
  if (resources.cpusetCpus) writes.add("cpuset", "cpuset.cpus", resources.cpusetCpus);
  if (resources.cpusetMems) writes.add("cpuset", "cpuset.mems", resources.cpusetMems);
}

class Writes {
  readonly list: CgroupWrite[] = [];

  add(controller: string, file: string, value: string | number): void {
    this.list.push({ controller, file, value: String(value) });
  }
}
