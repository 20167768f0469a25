/** The topology manager's policies (pkg/kubelet/cm/topologymanager). Pure. */

import type { KernelFiles } from "@hooklet/core/subsystem";
import { hintLists, MAX_NODES, type MaskHint, mergeHints, type ProviderHints, sizeOf } from "./merge.js";

export const topologyPolicies = ["none", "best-effort", "restricted", "single-numa-node"] as const;
export type TopologyPolicy = (typeof topologyPolicies)[number];

export const topologyScopes = ["container", "pod"] as const;
export type TopologyScope = (typeof topologyScopes)[number];

export interface Alignment {
  readonly admit: boolean;
  /** The NUMA nodes to take devices from; undefined: any. */
  readonly affinity: readonly number[] | undefined;
}

/** Applies a policy to the hints for a container, or for a pod. Only policies that use `hints` call it. */
export function align(policy: TopologyPolicy, hints: () => ProviderHints, machineNodes: readonly number[]): Alignment {
  if (policy === "none") return { admit: true, affinity: undefined };
  const lists = hintLists(hints(), machineNodes);
  if (policy === "single-numa-node") return single(lists, machineNodes);
  const { nodes, preferred } = mergeHints(lists, machineNodes);
  return { admit: policy === "best-effort" || preferred, affinity: nodes };
}

function single(lists: readonly (readonly MaskHint[])[], machineNodes: readonly number[]): Alignment {
  const fits = ({ mask, preferred }: MaskHint): boolean => preferred && (mask === undefined || sizeOf(mask) === 1);
  const narrow = lists.map((list) => list.filter(fits));
  const { nodes, preferred } = mergeHints(narrow, machineNodes);
  const everywhere = nodes?.length === machineNodes.length;
  return { admit: preferred, affinity: everywhere ? undefined : nodes };
}

// The machine's NUMA nodes, from sysfs.

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
