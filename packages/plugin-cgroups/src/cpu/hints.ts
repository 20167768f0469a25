/** From which NUMA nodes a request for processors could be met (pkg/kubelet/cm/cpumanager generateCPUTopologyHints). Pure. */
import type { TopologyHint } from "@hooklet/core/subsystem";
import type { CpuSet } from "./sets.js";
import type { CpuTopology } from "./topology.js";

/** More nodes have too many subsets to try; the topology manager's limit. */
const MAX_NODES = 8;

/**
 * For every set of nodes that has enough free processors a hint, preferred when no smaller set could ever have enough. Sets that
 * leave out a processor that is to be used again are none. @param available free ones
 */
export function cpuHints(
  topology: CpuTopology,
  available: CpuSet,
  reusable: CpuSet,
  request: number,
): readonly TopologyHint[] {
  const { nodes } = topology;
  if (nodes.length > MAX_NODES) return [{ nodes: undefined, preferred: true }];
  const count = (cpus: CpuSet): readonly number[] =>
    nodes.map((node) => [...cpus].filter((cpu) => topology.place(cpu)?.node === node).length);
  const [all, free, again] = [
    count(topology.cpus),
    count(new Set([...available].filter((cpu) => !reusable.has(cpu)))),
    count(reusable),
  ];
  let smallest = nodes.length;
  const found: number[][] = [];
  for (let mask = 1; mask < 2 ** nodes.length; mask++) {
    const inside = nodes.flatMap((_, bit) => ((mask & (1 << bit)) === 0 ? [] : [bit]));
    const sum = (counts: readonly number[]): number => inside.reduce((total, bit) => total + (counts[bit] ?? 0), 0);
    if (sum(all) >= request) smallest = Math.min(smallest, inside.length);
    if (sum(again) === reusable.size && sum(again) + sum(free) >= request) found.push(inside);
  }
  return found
    .sort((a, b) => a.length - b.length)
    .map((inside) => ({ nodes: inside.map((bit) => nodes[bit] ?? 0), preferred: inside.length === smallest }));
}
