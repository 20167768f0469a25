/** What containers ask of the processors (pkg/kubelet/cm/cpumanager). */

import { type Container, isSidecar, type Pod } from "@hooklet/core";
import { milliValue, parseQuantity, podLevelResources, qosClass } from "@hooklet/core/rules";
import type { TopologyHint } from "@hooklet/core/subsystem";
import type { CpuSet, CpuTopology } from "./topology.js";

// The number of exclusive processors of containers and pods (pkg/kubelet/cm/cpumanager policy_static.go).

/** Of a Guaranteed pod's container whose cpu request is a whole number; 0: it runs in the shared pool. */
export function exclusiveCpus(pod: Pod, container: Container): number {
  // As in the kubelet: a pod with pod-level resources has no containers with exclusive processors.
  if (podLevelResources(pod) !== undefined || qosClass(pod) !== "Guaranteed") return 0;
  const request = container.resources?.requests?.cpu;
  const milli = request === undefined ? 0 : milliValue(parseQuantity(String(request)));
  return milli % 1000 === 0 ? milli / 1000 : 0;
}

/** At its greediest moment: what runs together counts together, init containers give back what they had. */
export function podExclusiveCpus(pod: Pod): number {
  let sidecars = 0;
  let init = 0;
  for (const container of pod.spec.initContainers ?? []) {
    const cpus = exclusiveCpus(pod, container);
    if (isSidecar(container)) sidecars += cpus;
    else init = Math.max(init, sidecars + cpus);
  }
  const main = pod.spec.containers.reduce((sum, container) => sum + exclusiveCpus(pod, container), 0);
  return Math.max(init, sidecars + main);
}

// From which NUMA nodes a request for processors could be met (pkg/kubelet/cm/cpumanager generateCPUTopologyHints).

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

/** The CPU assignments that plans read. */
export interface CpuAssignments {
  /** Whether the container has exclusive processors; without a name: any container of the pod. */
  hasExclusive(podUid: string, container?: string): boolean;
  /** Those that the container runs on, its own or the shared ones: `2-3`. */
  cpusOf(podUid: string, container: string): string;
}
