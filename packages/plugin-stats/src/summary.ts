/** Usage as the kubelet's Summary API shows it. Pure. */
import type { Pod } from "@hooklet/core";
import type { CgroupUsage, MemoryUsage, Pressure } from "@hooklet/core/rules";
import type {
  ContainerStatistics,
  CpuStatistics,
  FileSystem,
  FsStatistics,
  HostFileSystem,
  MemoryStatistics,
  NetworkStatistics,
  NodeSummary,
  PodStatistics,
  PsiStatistics,
} from "@hooklet/core/subsystem";
import { rfc3339 } from "@hooklet/utils";
import type { DiskReading } from "./disk/measurer.js";
import { containerDisk, type DiskInput, podDisk } from "./disk/usage.js";
import type { NetworkUsage } from "./network.js";
import type { CpuTimes } from "./rates.js";
import type { PodUsage, TreeUsage } from "./tree.js";

/** A pod with what runs of it. */
export interface MeasuredPod {
  readonly pod: Pod;
  readonly containers: readonly { readonly name: string; readonly id: string; readonly startedAt: number }[];
}

export interface SummaryInput {
  readonly tree: TreeUsage;
  /** Earlier, for usage per second. */
  readonly before: CpuTimes | undefined;
  readonly pods: readonly MeasuredPod[];
  /** By pod uid: of pods with their own network. */
  readonly networks: ReadonlyMap<string, NetworkUsage>;
  readonly disks: DiskReading;
  /** Where logs and emptyDirs lie, and where writable layers do. */
  readonly nodeFs: HostFileSystem | undefined;
  readonly containerFs: HostFileSystem | undefined;
  /** Bytes of swap that the machine has. */
  readonly swapBytes: number;
}

/** Statistics of the pods that have a cgroup. */
export function podStatistics(input: SummaryInput): PodStatistics[] {
  return input.pods.flatMap((measured) => {
    const { uid } = measured.pod.metadata;
    const found = input.tree.byPod.get(uid);
    return found === undefined ? [] : [podOf(input, measured, found)];
  });
}

function podOf(
  input: SummaryInput,
  { pod, containers }: MeasuredPod,
  { usage, containers: own }: PodUsage,
): PodStatistics {
  const { name, namespace, uid } = pod.metadata;
  const { disks, nodeFs, containerFs, swapBytes, before } = input;
  const disk: DiskInput = { disk: disks.disks.get(uid), layers: disks.layers, nodeFs, containerFs };
  const network = input.networks.get(uid);
  const ids = containers.map(({ id }) => id);
  return {
    podRef: { name, namespace, uid },
    startTime: String(pod.status?.startTime ?? rfc3339(usage.at)),
    containers: containers.flatMap((one) => {
      const found = own.get(one.id);
      if (found === undefined) return [];
      const common = containerOf(one.name, one.startedAt, found, before, swapBytes);
      return [{ ...common, ...containerDisk(disk, one.name, one.id) }];
    }),
    ...commonOf(usage, before),
    ...(network !== undefined && { network: networkOf(network) }),
    ...podDisk(disk, ids),
    ...(usage.pids !== undefined && { process_stats: { process_count: usage.pids } }),
    ...(usage.memory.swapBytes !== undefined && {
      swap: { time: rfc3339(usage.at), swapUsageBytes: usage.memory.swapBytes },
    }),
  };
}

function containerOf(
  name: string,
  startedAt: number,
  usage: CgroupUsage,
  before: CpuTimes | undefined,
  swapBytes: number | undefined,
): ContainerStatistics {
  const { swapBytes: swapUsageBytes, swapLimitBytes } = usage.memory;
  const most = swapBytes === undefined ? undefined : Math.min(swapLimitBytes ?? swapBytes, swapBytes);
  return {
    name,
    startTime: rfc3339(startedAt),
    ...commonOf(usage, before),
    ...(swapUsageBytes !== undefined && {
      swap: {
        time: rfc3339(usage.at),
        ...(most !== undefined && { swapAvailableBytes: Math.max(0, most - swapUsageBytes) }),
        swapUsageBytes,
      },
    }),
  };
}

/** What the kubelet calls the default interface (cAdvisor's). */
const DEFAULT_INTERFACE = "eth0";

export function networkOf({ at, interfaces }: NetworkUsage): NetworkStatistics {
  const all = interfaces.map(({ name, rxBytes, rxErrors, txBytes, txErrors }) => ({
    name,
    rxBytes,
    rxErrors,
    txBytes,
    txErrors,
  }));
  const usual = all.find(({ name }) => name === DEFAULT_INTERFACE);
  return { time: rfc3339(at), ...usual, interfaces: all };
}

export const PODS_CONTAINER = "pods";

/** The cgroup of all pods, as the kubelet shows it among its system containers. */
export function podsContainer(
  usage: CgroupUsage | undefined,
  before: CpuTimes | undefined,
  startedAt: number,
): ContainerStatistics[] {
  return usage === undefined ? [] : [containerOf(PODS_CONTAINER, startedAt, usage, before, undefined)];
}

export function commonOf(
  usage: CgroupUsage,
  before: CpuTimes | undefined,
  capacityBytes?: number,
): { readonly cpu: CpuStatistics; readonly memory: MemoryStatistics; readonly io?: NonNullable<NodeSummary["io"]> } {
  const { io, memory } = usage.pressure;
  return {
    cpu: cpuOf(usage, before),
    memory: { ...memoryOf(usage.at, usage.memory, capacityBytes), ...(memory && { psi: psiOf(memory) }) },
    ...(io && { io: { time: rfc3339(usage.at), psi: psiOf(io) } }),
  };
}

function cpuOf(usage: CgroupUsage, before: CpuTimes | undefined): CpuStatistics {
  const { at, cpu, pressure } = usage;
  const { usageNanoSeconds } = cpu;
  const nanoCores = nanoCoresBetween(before, usage);
  return {
    time: rfc3339(at),
    ...(nanoCores !== undefined && { usageNanoCores: nanoCores }),
    ...(usageNanoSeconds !== undefined && { usageCoreNanoSeconds: usageNanoSeconds }),
    ...(pressure.cpu && { psi: psiOf(pressure.cpu) }),
  };
}

/** Nano-cores over the time since an earlier reading; undefined without one, or when the counter was reset. */
export function nanoCoresBetween(
  before: CpuTimes | undefined,
  { at, path, cpu: { usageNanoSeconds } }: CgroupUsage,
): number | undefined {
  const earlier = before?.nanoSeconds.get(path);
  if (before === undefined || earlier === undefined || usageNanoSeconds === undefined) return undefined;
  const milliseconds = at - before.at;
  if (milliseconds <= 0 || usageNanoSeconds < earlier) return undefined;
  return Math.round(((usageNanoSeconds - earlier) * 1000) / milliseconds);
}

/** @param capacityBytes the capacity where the cgroup has no limit */
export function memoryOf(at: number, memory: MemoryUsage, capacityBytes: number | undefined): MemoryStatistics {
  const { usageBytes, workingSetBytes, rssBytes, pageFaults, majorPageFaults, limitBytes } = memory;
  const most = limitBytes ?? capacityBytes;
  return {
    time: rfc3339(at),
    ...(most !== undefined && workingSetBytes !== undefined && { availableBytes: Math.max(0, most - workingSetBytes) }),
    ...(usageBytes !== undefined && { usageBytes }),
    ...(workingSetBytes !== undefined && { workingSetBytes }),
    ...(rssBytes !== undefined && { rssBytes }),
    ...(pageFaults !== undefined && { pageFaults }),
    ...(majorPageFaults !== undefined && { majorPageFaults }),
  };
}

function psiOf({ some, full }: Pressure): PsiStatistics {
  return { some, full: full ?? { avg10: 0, avg60: 0, avg300: 0, total: 0 } };
}

/** A file system of the node. */
export function fsOf(fileSystem: FileSystem): FsStatistics {
  const { at, capacityBytes, availableBytes, freeBytes, inodes, inodesFree, usedBytes, inodesUsed } = fileSystem;
  // As cAdvisor counts: what is kept for root is not in use.
  const used = usedBytes ?? capacityBytes - (freeBytes ?? availableBytes);
  const usedInodes = inodesUsed ?? (inodes !== undefined && inodesFree !== undefined ? inodes - inodesFree : undefined);
  return {
    time: rfc3339(at),
    availableBytes,
    capacityBytes,
    usedBytes: used,
    ...(inodesFree !== undefined && { inodesFree }),
    ...(inodes !== undefined && { inodes }),
    ...(usedInodes !== undefined && { inodesUsed: usedInodes }),
  };
}
