/** Facts of node and machine for the rules, read once. */
import type { NodeContext } from "@hooklet/core";
import {
  type CgroupLayout,
  hugePages,
  processLimit,
  quantityOf,
  quantityOfMilli,
  type ResourceList,
} from "@hooklet/core/rules";
import { burstAvailable, hugetlbAvailable, swapCapacity, swapControllerAvailable, withPids } from "../host/machine.js";
import type { CgroupFiles } from "../host/port.js";
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
