/**
 * What the kubelet's summary API (stats/v1alpha1) says of a node and its pods, as far as eviction reads it. Amounts in bytes and counts.
 * Pure.
 */

import type { StallSignal } from "./signals.js";

export interface MemoryStatistics {
  /** RFC 3339; without it the numbers count as new each time. */
  readonly time?: string;
  readonly availableBytes?: number;
  readonly usageBytes?: number;
  readonly workingSetBytes?: number;
}

export interface FileSystemStatistics {
  readonly time?: string;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  readonly usedBytes?: number;
  readonly inodesFree?: number;
  readonly inodes?: number;
  readonly inodesUsed?: number;
}

export interface ProcessLimitStatistics {
  readonly time?: string;
  readonly maxpid?: number;
  readonly curproc?: number;
}

export interface ContainerStatistics {
  readonly name: string;
  readonly memory?: MemoryStatistics;
  readonly rootfs?: FileSystemStatistics;
  readonly logs?: FileSystemStatistics;
}

export interface VolumeStatistics extends FileSystemStatistics {
  readonly name: string;
}

export interface PodStatistics {
  readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly containers?: readonly ContainerStatistics[];
  readonly memory?: MemoryStatistics;
  readonly volume?: readonly VolumeStatistics[];
  readonly "ephemeral-storage"?: FileSystemStatistics;
  readonly process_stats?: { readonly process_count?: number };
  /** hooklet's own: bytes that its processes read and wrote in a second. */
  readonly moved?: { readonly bytesPerSecond: number };
}

export interface NodeStatistics {
  readonly memory?: MemoryStatistics;
  readonly systemContainers?: readonly ContainerStatistics[];
  readonly fs?: FileSystemStatistics;
  readonly runtime?: { readonly imageFs?: FileSystemStatistics; readonly containerFs?: FileSystemStatistics };
  readonly rlimit?: ProcessLimitStatistics;
  /** hooklet's own: hundredths of a percent of a while that processes stood still. */
  readonly stalled?: { readonly time: string; readonly shares: ReadonlyMap<StallSignal, number> };
}

/** The pods' statistics by uid. */
export type StatisticsByUid = ReadonlyMap<string, PodStatistics>;

/** One map for one list: a round may ask for the same one twice. */
const maps = new WeakMap<readonly PodStatistics[], StatisticsByUid>();

export function statisticsByUid(pods: readonly PodStatistics[]): StatisticsByUid {
  const known = maps.get(pods);
  if (known !== undefined) return known;
  const byUid = new Map<string, PodStatistics>();
  for (const pod of pods) byUid.set(pod.podRef.uid, pod);
  maps.set(pods, byUid);
  return byUid;
}

/** The cgroup of all pods among the system containers. */
export const PODS_CONTAINER = "pods";

export function podsCgroup({ systemContainers = [] }: NodeStatistics): ContainerStatistics | undefined {
  return systemContainers.find(({ name }) => name === PODS_CONTAINER);
}
