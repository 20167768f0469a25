/** Statistics as in the kubelet's Summary API (stats/v1alpha1): `/stats/summary` serves these objects. */

/** RFC 3339. */
type Time = string;

export interface CpuStatistics {
  readonly time: Time;
  /** Over the window since the last reading, nano-cores. */
  readonly usageNanoCores?: number;
  /** Since the start, nano-seconds. */
  readonly usageCoreNanoSeconds?: number;
  readonly psi?: PsiStatistics;
}

/** Bytes and counts. */
export interface MemoryStatistics {
  readonly time: Time;
  /** Until the limit, or the machine's end. */
  readonly availableBytes?: number;
  readonly usageBytes?: number;
  /** usage - inactive_file. */
  readonly workingSetBytes?: number;
  readonly rssBytes?: number;
  readonly pageFaults?: number;
  readonly majorPageFaults?: number;
  readonly psi?: PsiStatistics;
}

export interface PsiStatistics {
  readonly full: PsiData;
  readonly some: PsiData;
}

/** Microseconds in all; averages in percent. */
export interface PsiData {
  readonly total: number;
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
}

export interface FsStatistics {
  readonly time: Time;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  readonly usedBytes?: number;
  readonly inodesFree?: number;
  readonly inodes?: number;
  readonly inodesUsed?: number;
}

/** Bytes and errors since the interface is up. */
export interface InterfaceStatistics {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxErrors: number;
  readonly txBytes: number;
  readonly txErrors: number;
}

/** The default interface, eth0 to the kubelet, where there is one, and all. */
export interface NetworkStatistics extends Partial<InterfaceStatistics> {
  readonly time: Time;
  readonly interfaces: readonly InterfaceStatistics[];
}

export interface VolumeStatistics extends FsStatistics {
  readonly name: string;
}

export interface ContainerStatistics {
  readonly name: string;
  readonly startTime: Time;
  readonly cpu?: CpuStatistics;
  readonly memory?: MemoryStatistics;
  readonly io?: { readonly time: Time; readonly psi?: PsiStatistics };
  /** Writable layer. */
  readonly rootfs?: FsStatistics;
  readonly logs?: FsStatistics;
  readonly swap?: { readonly time: Time; readonly swapUsageBytes?: number; readonly swapAvailableBytes?: number };
}

export interface PodStatistics {
  readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly startTime: Time;
  readonly containers: readonly ContainerStatistics[];
  readonly cpu?: CpuStatistics;
  readonly memory?: MemoryStatistics;
  readonly io?: { readonly time: Time; readonly psi?: PsiStatistics };
  /** Absent on the host's network. */
  readonly network?: NetworkStatistics;
  readonly volume?: readonly VolumeStatistics[];
  readonly "ephemeral-storage"?: FsStatistics;
  readonly process_stats?: { readonly process_count?: number };
  readonly swap?: { readonly time: Time; readonly swapUsageBytes?: number; readonly swapAvailableBytes?: number };
}

export interface NodeSummary {
  readonly nodeName: string;
  readonly startTime: Time;
  readonly systemContainers?: readonly ContainerStatistics[];
  readonly cpu?: CpuStatistics;
  readonly memory?: MemoryStatistics;
  readonly io?: { readonly time: Time; readonly psi?: PsiStatistics };
  readonly network?: NetworkStatistics;
  readonly fs?: FsStatistics;
  readonly runtime?: { readonly imageFs?: FsStatistics; readonly containerFs?: FsStatistics };
  readonly rlimit?: { readonly time: Time; readonly maxpid?: number; readonly curproc?: number };
  readonly swap?: { readonly time: Time; readonly swapUsageBytes?: number; readonly swapAvailableBytes?: number };
}

/** The kubelet's Summary. */
export interface NodeStatistics {
  readonly node: NodeSummary;
  /**
   * May be computed on first access, and then stays the same: it is newer than `node`. The access throws when the plugin
   * that provides it has stopped before.
   */
  readonly pods: readonly PodStatistics[];
}

export interface StatisticsProvider {
  /** Reads current statistics. Core caches the result for callers that accept an older one, and never runs two calls at the same time. */
  read(signal: AbortSignal): Promise<NodeStatistics>;
  /** As `NodePort.measureDisks`. */
  measureDisks?(maxAgeSeconds: number): Promise<void>;
  /** As `NodePort.memory`. */
  memory?(): NodeMemory;
}

/** Memory of the node, and of all pods among the system containers, as in the Summary; what the kernel does not tell is missing. */
export type NodeMemory = Pick<NodeSummary, "memory" | "systemContainers">;
