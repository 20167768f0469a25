/**
 * What eviction reads of the Summary (`NodeStatistics` of the contract). Less is demanded than a provider has to say: nothing but names
 * must be there, and numbers without a time count as new each time. Pure.
 */
import type * as summary from "@hooklet/core/subsystem";
import type { StallSignal, StarvedResource } from "./signals.js";

type MemoryAmounts = "time" | "availableBytes" | "usageBytes" | "workingSetBytes";
export type MemoryStatistics = Partial<Pick<summary.MemoryStatistics, MemoryAmounts>>;
export type FileSystemStatistics = Partial<summary.FsStatistics>;
export type ProcessLimitStatistics = Partial<NonNullable<summary.NodeSummary["rlimit"]>>;

export interface ContainerStatistics extends Pick<summary.ContainerStatistics, "name"> {
  readonly memory?: MemoryStatistics;
  readonly rootfs?: FileSystemStatistics;
  readonly logs?: FileSystemStatistics;
}

export interface VolumeStatistics extends FileSystemStatistics, Pick<summary.VolumeStatistics, "name"> {}

export interface PodStatistics extends Pick<summary.PodStatistics, "podRef" | "process_stats"> {
  readonly containers?: readonly ContainerStatistics[];
  readonly memory?: MemoryStatistics;
  readonly volume?: readonly VolumeStatistics[];
  readonly "ephemeral-storage"?: FileSystemStatistics;
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

/** Why pods are read: their limits of storage, or the starved resource. */
export type Asked = "limits" | StarvedResource;

/** What a round reads. */
export interface Statistics {
  readonly node: NodeStatistics;
  /** Called when a pod's usage matters, with what matters then: other values may be missing, or old. */
  pods(what: Asked): Promise<readonly PodStatistics[]>;
}

/** The kubelet's numbers have 64 bits. Sums of a node's stay far from where numbers end. */
const END = 2 ** 64;

/** A plausible number; undefined otherwise, as if it was missing. */
export function plausible(value: number | undefined): number | undefined {
  return value !== undefined && value >= 0 && value < END ? value : undefined;
}

/** The pods' statistics by uid. */
export type StatisticsByUid = ReadonlyMap<string, PodStatistics>;

export function statisticsByUid(pods: readonly PodStatistics[]): StatisticsByUid {
  return new Map(pods.map((pod) => [pod.podRef.uid, pod]));
}

/** The cgroup of all pods among the system containers. */
export const PODS_CONTAINER = "pods";

export function podsCgroup({ systemContainers = [] }: NodeStatistics): ContainerStatistics | undefined {
  return systemContainers.find(({ name }) => name === PODS_CONTAINER);
}
