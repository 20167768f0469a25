/** Machine facts for the rules, read from the kernel's files. */
import { type CgroupLayout, cgroupFolder, meminfoBytes, quantityOf, type ResourceList } from "@hooklet/core/rules";
import type { CgroupFiles } from "./port.js";

/** Bytes of swap. */
export function swapCapacity(files: Pick<CgroupFiles, "read">): number {
  return meminfoBytes(files.read("/proc/meminfo") ?? "", "SwapTotal") ?? 0;
}

/** Whether pods' cgroups have a limit of swap. Looked for in a cgroup of pods: the root may have it alone. */
export function swapControllerAvailable(files: CgroupFiles, layout: CgroupLayout, kubepods: string): boolean {
  const file = layout.version === "v1" ? "memory.memsw.limit_in_bytes" : "memory.swap.max";
  const folder = cgroupFolder(layout, "memory", kubepods);
  return folder !== undefined && files.changedAt(`${folder}/${file}`) !== undefined;
}

/** Whether pods' cgroups can save up unused quota: since Linux 5.14. */
export function burstAvailable(files: CgroupFiles, layout: CgroupLayout, kubepods: string): boolean {
  const folder = cgroupFolder(layout, "cpu", kubepods);
  const file = layout.version === "v1" ? "cpu.cfs_burst_us" : "cpu.max.burst";
  return folder !== undefined && files.changedAt(`${folder}/${file}`) !== undefined;
}

/** Whether pods' cgroups have limits of huge pages. */
export function hugetlbAvailable(files: CgroupFiles, layout: CgroupLayout): boolean {
  if (layout.version === "v1") return cgroupFolder(layout, "hugetlb", "/") !== undefined;
  const root = cgroupFolder(layout, "", "/");
  return (files.read(`${root}/cgroup.controllers`) ?? "").split(/\s+/).includes("hugetlb");
}

/** Capacity with `pid`. */
export function withPids(capacity: ResourceList, limit: number | undefined): ResourceList {
  const list = new Map(capacity);
  if (limit !== undefined) list.set("pid", quantityOf(limit));
  return list;
}
