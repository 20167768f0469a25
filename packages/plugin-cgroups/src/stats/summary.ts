/** Usage as the kubelet's Summary API shows it. Pure. */
import type { NodeContext, Pod } from "@hooklet/core";
import type { Pressure } from "./parse.js";
import type { PodUsage, TreeUsage } from "./pass.js";
import type { CgroupUsage } from "./usage.js";

export type NodeStatistics = NonNullable<Awaited<ReturnType<NodeContext["node"]["statistics"]>>>;
type NodeSummary = NodeStatistics["node"];
type PodStatistics = NodeStatistics["pods"][number];
type ContainerStatistics = PodStatistics["containers"][number];
type CpuStatistics = NonNullable<NodeSummary["cpu"]>;
type MemoryStatistics = NonNullable<NodeSummary["memory"]>;
type PsiStatistics = NonNullable<CpuStatistics["psi"]>;

/** A pod with what runs of it. */
export interface MeasuredPod {
  readonly pod: Pod;
  readonly containers: readonly { readonly name: string; readonly id: string; readonly startedAt: number }[];
}

export interface SummaryInput {
  readonly tree: TreeUsage;
  /** An earlier reading, for usage per second. */
  readonly before: TreeUsage | undefined;
  readonly pods: readonly MeasuredPod[];
}

/** Statistics of the pods that have a cgroup. */
export function podStatistics({ tree, before, pods }: SummaryInput): PodStatistics[] {
  return pods.flatMap(({ pod, containers }) => {
    const found = tree.byPod.get(pod.metadata.uid);
    if (found === undefined) return [];
    return [podOf(pod, containers, found, before?.byPod.get(pod.metadata.uid))];
  });
}

function podOf(
  pod: Pod,
  containers: MeasuredPod["containers"],
  { usage, containers: own }: PodUsage,
  before: PodUsage | undefined,
): PodStatistics {
  const { name, namespace, uid } = pod.metadata;
  return {
    podRef: { name, namespace, uid },
    startTime: String(pod.status?.startTime ?? rfc3339Seconds(usage.at)),
    containers: containers.flatMap(({ name: container, id, startedAt }) => {
      const found = own.get(id);
      return found === undefined ? [] : [containerOf(container, startedAt, found, before?.containers.get(id))];
    }),
    ...commonOf(usage, before?.usage),
    ...(usage.pids !== undefined && { process_stats: { process_count: usage.pids } }),
    swap: { time: rfc3339Seconds(usage.at), swapUsageBytes: usage.memory.swapBytes },
  };
}

function containerOf(
  name: string,
  startedAt: number,
  usage: CgroupUsage,
  before: CgroupUsage | undefined,
): ContainerStatistics {
  return {
    name,
    startTime: rfc3339Seconds(startedAt),
    ...commonOf(usage, before),
    swap: { time: rfc3339Seconds(usage.at), swapUsageBytes: usage.memory.swapBytes },
  };
}

/** The cgroup of all pods, as the kubelet shows it among its system containers. */
export function podsContainer(
  tree: TreeUsage,
  before: TreeUsage | undefined,
  startedAt: number,
): ContainerStatistics[] {
  return tree.pods === undefined ? [] : [containerOf("pods", startedAt, tree.pods, before?.pods)];
}

export function commonOf(
  usage: CgroupUsage,
  before: CgroupUsage | undefined,
  capacityBytes?: number,
): { readonly cpu: CpuStatistics; readonly memory: MemoryStatistics; readonly io?: NonNullable<NodeSummary["io"]> } {
  const { io } = usage.pressure;
  return {
    cpu: cpuOf(usage, before),
    memory: memoryOf(usage, capacityBytes),
    ...(io && { io: { time: rfc3339Seconds(usage.at), psi: psiOf(io) } }),
  };
}

function cpuOf({ at, cpu, pressure }: CgroupUsage, before: CgroupUsage | undefined): CpuStatistics {
  const { usageNanoSeconds } = cpu;
  const nanoCores = nanoCoresBetween(before, at, usageNanoSeconds);
  return {
    time: rfc3339Seconds(at),
    ...(nanoCores !== undefined && { usageNanoCores: nanoCores }),
    ...(usageNanoSeconds !== undefined && { usageCoreNanoSeconds: usageNanoSeconds }),
    ...(pressure.cpu && { psi: psiOf(pressure.cpu) }),
  };
}

/** Nano-cores over the time since an earlier reading; undefined without one, or when the counter began anew. */
export function nanoCoresBetween(
  before: CgroupUsage | undefined,
  at: number,
  usageNanoSeconds: number | undefined,
): number | undefined {
  const earlier = before?.cpu.usageNanoSeconds;
  if (before === undefined || earlier === undefined || usageNanoSeconds === undefined) return undefined;
  const milliseconds = at - before.at;
  if (milliseconds <= 0 || usageNanoSeconds < earlier) return undefined;
  return Math.round(((usageNanoSeconds - earlier) * 1000) / milliseconds);
}

function memoryOf({ at, memory, pressure }: CgroupUsage, capacityBytes: number | undefined): MemoryStatistics {
  const { usageBytes, workingSetBytes, rssBytes, pageFaults, majorPageFaults, limitBytes } = memory;
  const most = limitBytes ?? capacityBytes;
  return {
    time: rfc3339Seconds(at),
    ...(most !== undefined && workingSetBytes !== undefined && { availableBytes: Math.max(0, most - workingSetBytes) }),
    ...(usageBytes !== undefined && { usageBytes }),
    ...(workingSetBytes !== undefined && { workingSetBytes }),
    rssBytes,
    pageFaults,
    majorPageFaults,
    ...(pressure.memory && { psi: psiOf(pressure.memory) }),
  };
}

function psiOf({ some, full }: Pressure): PsiStatistics {
  return { some, full: full ?? { avg10: 0, avg60: 0, avg300: 0, total: 0 } };
}

/** RFC 3339 in whole seconds, as the kubelet writes it. */
export function rfc3339Seconds(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
