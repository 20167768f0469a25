/** Facts of node and machine for the rules, read once. */

import { NodeAgentError, type NodeContext } from "@hooklet/core";
import {
  type CgroupLayout,
  cgroupFolder,
  hugePages,
  meminfoBytes,
  processLimit,
  quantityOf,
  quantityOfMilli,
  type ResourceList,
} from "@hooklet/core/rules";
import type { CgroupFiles } from "../host/cgroup-files.js";
import type { CgroupDriver } from "../name/name.js";
import type { MachineRuleFacts } from "../plan/node-rules.js";

/** @param kubepods cgroup of all pods, where there is one: its files tell what pods can be limited by */
export function ruleFacts(
  ctx: Pick<NodeContext, "node" | "host">,
  files: CgroupFiles,
  layout: CgroupLayout | undefined,
  driver: CgroupDriver,
  kubepods: string,
): MachineRuleFacts {
  const reserved = ctx.node.reserved();
  return {
    version: layout?.version ?? "v2",
    driver,
    capacity: withPids(listOf(ctx.node.capacity()), processLimit(files)),
    systemReserved: listOf(reserved.systemReserved),
    kubeReserved: listOf(reserved.kubeReserved),
    pageSize: ctx.host.pageSize,
    hugePageSizes: hugePages(files).map(({ pageBytes }) => pageBytes),
    hugetlb: layout !== undefined && hugetlbAvailable(files, layout),
    swapControllerAvailable: layout !== undefined && swapControllerAvailable(files, layout, kubepods),
    swapCapacity: swapCapacity(files),
    burstAvailable: layout !== undefined && burstAvailable(files, layout, kubepods),
  };
}

/** Amounts as the contract gives them (cpu in milli-cores) as exact lists. */
function listOf(resources: Readonly<Record<string, number>>): ResourceList {
  return new Map(
    Object.entries(resources).map(([name, amount]) => {
      const format = name === "memory" || name.startsWith("hugepages-") ? "BinarySI" : "DecimalSI";
      return [name, name === "cpu" ? quantityOfMilli(amount) : quantityOf(amount, format)];
    }),
  );
}

// Machine facts for the rules, read from the kernel's files.

/** Bytes of swap. */
function swapCapacity(files: Pick<CgroupFiles, "read">): number {
  return meminfoBytes(files.read("/proc/meminfo") ?? "", "SwapTotal") ?? 0;
}

/** Whether pods' cgroups have a limit of swap. Looked for in a cgroup of pods: the root may have it alone. */
function swapControllerAvailable(files: CgroupFiles, layout: CgroupLayout, kubepods: string): boolean {
  const file = layout.version === "v1" ? "memory.memsw.limit_in_bytes" : "memory.swap.max";
  const folder = cgroupFolder(layout, "memory", kubepods);
  return folder !== undefined && files.changedAt(`${folder}/${file}`) !== undefined;
}

/** Whether pods' cgroups can save up unused quota: since Linux 5.14. */
function burstAvailable(files: CgroupFiles, layout: CgroupLayout, kubepods: string): boolean {
  const folder = cgroupFolder(layout, "cpu", kubepods);
  const file = layout.version === "v1" ? "cpu.cfs_burst_us" : "cpu.max.burst";
  return folder !== undefined && files.changedAt(`${folder}/${file}`) !== undefined;
}

/** Whether pods' cgroups have limits of huge pages. */
function hugetlbAvailable(files: CgroupFiles, layout: CgroupLayout): boolean {
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

// Which driver names cgroups here.

/** What the runtime says, else the option. @throws NodeAgentError INVALID for `systemd` where the runtime makes cgroups itself */
export async function driverOf(
  ctx: Pick<NodeContext, "runtime" | "log">,
  options: { readonly cgroupDriver?: CgroupDriver | undefined },
): Promise<CgroupDriver> {
  const { cgroupDriver: reported } = await ctx.runtime.facts();
  const driver = reported ?? options.cgroupDriver ?? "cgroupfs";
  if (reported !== undefined && options.cgroupDriver !== undefined && reported !== options.cgroupDriver) {
    ctx.log.warn(`option cgroupDriver is ${options.cgroupDriver}, but the runtime uses ${reported}: that is taken`);
  }
  if (driver === "systemd" && ctx.runtime.name === "process") {
    throw new NodeAgentError(
      "INVALID",
      'option cgroupDriver: expected "cgroupfs" on the process runtime, which makes cgroups itself, found "systemd".',
    );
  }
  return driver;
}
