/** The machine's NUMA nodes, from sysfs. Pure. */
import type { KernelFiles } from "@hooklet/core/subsystem";
import { MAX_NODES } from "./masks.js";
import type { TopologyPolicy } from "./policy.js";

const FOLDER = "/sys/devices/system/node";

/** Ascending; node 0 where sysfs lists none. */
export function numaNodes(kernel: Pick<KernelFiles, "directories">): readonly number[] {
  const nodes = kernel.directories(FOLDER).flatMap((name) => {
    const id = /^node(\d{1,4})$/.exec(name)?.[1];
    return id === undefined ? [] : [Number(id)];
  });
  return nodes.length === 0 ? [0] : nodes.sort((a, b) => a - b);
}

/** Why a policy cannot be kept on this machine; undefined: it can. */
export function policyFault(policy: TopologyPolicy, nodes: readonly number[]): string | undefined {
  if (policy === "none" || nodes.length <= MAX_NODES) return undefined;
  return `topologyManagerPolicy ${policy}: expected at most ${MAX_NODES} NUMA nodes, found ${nodes.length}; use none`;
}
