/** The signals that a node's statistics give (pkg/kubelet/eviction makeSignalObservations). Pure. */

import type * as summary from "@hooklet/core/subsystem";
import { type Signal, STALL_CAPACITY, type StallSignal, type StarvedResource } from "./signals.js";

/** Bytes, inodes or processes; of stalls hundredths of a percent of the time without any. */
export interface Observation {
  /** May be negative: more processes than there may be. */
  readonly available: number;
  readonly capacity: number;
  /** Milliseconds since the epoch; undefined when the statistics carry no time. */
  readonly time?: number;
}

/** The year 1, which Go writes for a time that was never set. */
const GO_ZERO_TIME = Date.parse("0001-01-01T00:00:00Z");

/** Signals without numbers are missing; the other signals still work. */
export type Observations = ReadonlyMap<Signal, Observation>;

export function observationsOf(node: NodeStatistics): Observations {
  const { memory, fs, runtime, rlimit, stalled } = node;
  const all: readonly (readonly [Signal, Observation | undefined])[] = [
    ["memory.available", memoryLeft(memory)],
    ["allocatableMemory.available", memoryLeft(podsCgroup(node)?.memory)],
    ...disk("nodefs", fs),
    ...disk("imagefs", runtime?.imageFs),
    ...disk("containerfs", runtime?.containerFs),
    ["pid.available", processesLeft(rlimit)],
    ...[...(stalled?.shares ?? [])].map(
      ([signal, share]) => [signal, observation(STALL_CAPACITY - share, STALL_CAPACITY, stalled?.time)] as const,
    ),
  ];
  return new Map(all.flatMap(([signal, seen]) => (seen === undefined ? [] : [[signal, seen] as const])));
}

function memoryLeft(memory: MemoryStatistics | undefined): Observation | undefined {
  const [available, used] = [plausible(memory?.availableBytes), plausible(memory?.workingSetBytes)];
  if (available === undefined || used === undefined) return undefined;
  return observation(available, available + used, memory?.time);
}

function processesLeft(rlimit: ProcessLimitStatistics | undefined): Observation | undefined {
  const [most, now] = [plausible(rlimit?.maxpid), plausible(rlimit?.curproc)];
  return most === undefined || now === undefined ? undefined : observation(most - now, most, rlimit?.time);
}

function disk(
  name: "nodefs" | "imagefs" | "containerfs",
  fs: FileSystemStatistics | undefined,
): readonly (readonly [Signal, Observation | undefined])[] {
  const of = (left?: number, all?: number): Observation | undefined => {
    const [available, capacity] = [plausible(left), plausible(all)];
    return available === undefined || capacity === undefined ? undefined : observation(available, capacity, fs?.time);
  };
  return [
    [`${name}.available`, of(fs?.availableBytes, fs?.capacityBytes)],
    [`${name}.inodesFree`, of(fs?.inodesFree, fs?.inodes)],
  ];
}

function observation(available: number, capacity: number, time: string | undefined): Observation {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  return { available, capacity, ...(at > GO_ZERO_TIME ? { time: at } : {}) };
}

// What eviction reads of the Summary (`NodeStatistics` of the contract). Less is demanded than a provider has to say: nothing but names must be there,
// and numbers without a time count as new each time.

type MemoryAmounts = "time" | "availableBytes" | "usageBytes" | "workingSetBytes";
export type MemoryStatistics = Partial<Pick<summary.MemoryStatistics, MemoryAmounts>>;
export type FileSystemStatistics = Partial<summary.FsStatistics>;
type ProcessLimitStatistics = Partial<NonNullable<summary.NodeSummary["rlimit"]>>;

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
const PODS_CONTAINER = "pods";

export function podsCgroup({ systemContainers = [] }: NodeStatistics): ContainerStatistics | undefined {
  return systemContainers.find(({ name }) => name === PODS_CONTAINER);
}
