/** The machine's processors, from sysfs. */

import { parseCpuList } from "@hooklet/core/rules";
import type { KernelFiles } from "@hooklet/core/subsystem";
import { type CpuPlace, CpuTopology } from "./topology.js";

type Kernel = Pick<KernelFiles, "read" | "directories">;

const CPUS = "/sys/devices/system/cpu";
const NODES = "/sys/devices/system/node";

/** Values missing in sysfs default to the simplest machine: one socket, one node, a core for each processor. @param count processors that are online */
export function readTopology(kernel: Kernel, count: number): CpuTopology {
  const online = kernel.read(`${CPUS}/online`);
  const cpus =
    online === undefined
      ? new Set(Array.from({ length: count }, (_, cpu) => cpu))
      : parseCpuList(online, `${CPUS}/online`);
  const nodes = readNodes(kernel);
  return new CpuTopology([...cpus].map((cpu) => placeOf(kernel, cpu, cpus, nodes.get(cpu) ?? 0)));
}

function placeOf(kernel: Kernel, cpu: number, online: ReadonlySet<number>, node: number): CpuPlace {
  const file = (name: string): string | undefined => kernel.read(`${CPUS}/cpu${cpu}/topology/${name}`);
  const siblings = file("core_cpus_list") ?? file("thread_siblings_list");
  const threads = siblings === undefined ? [cpu] : [...parseCpuList(siblings)].filter((one) => online.has(one));
  // -1 where the firmware does not tell, as on some ARM machines.
  const socket = Math.max(0, Number.parseInt(file("physical_package_id") ?? "", 10) || 0);
  return { cpu, core: Math.min(cpu, ...threads), socket, node };
}

function readNodes(kernel: Kernel): ReadonlyMap<number, number> {
  const nodes = new Map<number, number>();
  for (const name of kernel.directories(NODES)) {
    const id = /^node(\d{1,4})$/.exec(name)?.[1];
    const list = id === undefined ? undefined : kernel.read(`${NODES}/${name}/cpulist`);
    if (list === undefined) continue;
    for (const cpu of parseCpuList(list, `${NODES}/${name}/cpulist`)) nodes.set(cpu, Number(id));
  }
  return nodes;
}
