/** What the rules need to know of the machine, read from the kernel's files. */
import { quantityOf, type ResourceList } from "@hooklet/core/rules";
import { type CgroupLayout, folderOf } from "./hierarchies.js";
import type { CgroupFiles } from "./port.js";

const HUGE_PAGES = "/sys/kernel/mm/hugepages";
const PID_LIMITS = ["/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"];

/** Bytes, ascending: the machine's huge page sizes. */
export function hugePageSizes(files: Pick<CgroupFiles, "directories">): readonly number[] {
  const sizes = files.directories(HUGE_PAGES).flatMap((name) => {
    const kilobytes = /^hugepages-(\d+)kB$/.exec(name)?.[1];
    return kilobytes === undefined ? [] : [Number(kilobytes) * 1024];
  });
  return sizes.sort((a, b) => a - b);
}

/** How many processes and threads the machine may have; undefined when it does not tell. */
export function pidLimit(files: Pick<CgroupFiles, "read">): number | undefined {
  const limits = PID_LIMITS.map((path) => Number.parseInt(files.read(path) ?? "", 10)).filter(Number.isFinite);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** Bytes of memory that the machine has, whatever share of it the node may use; undefined when it does not tell. */
export function machineMemory(files: Pick<CgroupFiles, "read">): number | undefined {
  return memoryInfo(files, "MemTotal:");
}

/** Bytes of swap. */
export function swapCapacity(files: Pick<CgroupFiles, "read">): number {
  return memoryInfo(files, "SwapTotal:") ?? 0;
}

function memoryInfo(files: Pick<CgroupFiles, "read">, key: string): number | undefined {
  const kilobytes = Number.parseInt(lineAfter(files.read("/proc/meminfo") ?? "", key), 10);
  return Number.isFinite(kilobytes) ? kilobytes * 1024 : undefined;
}

/** Whether pods' cgroups have a limit of swap. Looked for in a cgroup of pods: the root may have it alone. */
export function swapControllerAvailable(files: CgroupFiles, layout: CgroupLayout, kubepods: string): boolean {
  const file = layout.version === "v1" ? "memory.memsw.limit_in_bytes" : "memory.swap.max";
  const folder = folderOf(layout, "memory", kubepods);
  return folder !== undefined && files.changedAt(`${folder}/${file}`) !== undefined;
}

/** Whether pods' cgroups can save up unused quota: since Linux 5.14. */
export function burstAvailable(files: CgroupFiles, layout: CgroupLayout, kubepods: string): boolean {
  const folder = folderOf(layout, "cpu", kubepods);
  const file = layout.version === "v1" ? "cpu.cfs_burst_us" : "cpu.max.burst";
  return folder !== undefined && files.changedAt(`${folder}/${file}`) !== undefined;
}

/** Whether pods' cgroups have limits of huge pages. */
export function hugetlbAvailable(files: CgroupFiles, layout: CgroupLayout): boolean {
  if (layout.version === "v1") return folderOf(layout, "hugetlb", "/") !== undefined;
  const root = folderOf(layout, "", "/");
  return (files.read(`${root}/cgroup.controllers`) ?? "").split(/\s+/).includes("hugetlb");
}

/** Capacity with `pid`. */
export function withPids(capacity: ResourceList, limit: number | undefined): ResourceList {
  const list = new Map(capacity);
  if (limit !== undefined) list.set("pid", quantityOf(limit));
  return list;
}

function lineAfter(text: string, key: string): string {
  const line = text.split("\n").find((one) => one.startsWith(key));
  return line?.slice(key.length).trim() ?? "";
}
