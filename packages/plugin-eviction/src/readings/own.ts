/** Statistics without a plugin that provides them: what the machine and the runtime say, and `du` for emptyDirs with a limit. */
import { join } from "node:path";
import type { ContainerStats, Pod } from "@hooklet/core";
import type { Statistics } from "../loop/ports.js";
import type {
  ContainerStatistics,
  FileSystemStatistics,
  NodeStatistics,
  PodStatistics,
  VolumeStatistics,
} from "../statistics.js";
import { hasStorageLimits, storageLimits } from "../storage/limits.js";
import { type KernelReader, memoryOnly, processLimits } from "./machine.js";

/** A file system as the runtime port tells it. */
export interface FileSystemFacts {
  readonly device: string;
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly inodes?: number;
  readonly inodesFree?: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface NodeDisks {
  readonly node: FileSystemFacts;
  readonly image: FileSystemFacts;
  readonly container: FileSystemFacts;
}

export interface OwnReadings {
  /** Milliseconds since the epoch. */
  now(): number;
  readonly kernel: KernelReader;
  /** Empty: where it usually is. */
  readonly podsCgroup: string;
  fileSystems(): Promise<NodeDisks>;
  /** Labels name pod and container as the kubelet's do. */
  listContainerStats(): Promise<readonly ContainerStats[]>;
  /** Where the pod's volumes lie. */
  volumeDirectories(uid: string): readonly { readonly name: string; readonly path: string }[];
  /** Where the logs of all pods lie. */
  podLogsDir(): Promise<string>;
  diskUsage(path: string): Promise<{ readonly usedBytes: number; readonly inodesUsed: number }>;
}

type What = "limits" | "all";

export async function readOwn(ports: OwnReadings, pods: () => readonly Pod[]): Promise<Statistics> {
  const node = nodeStatistics(ports, await ports.fileSystems());
  return { node, pods: (what) => podStatistics(ports, pods(), what) };
}

/** @param disks asked afresh */
export function nodeStatistics(
  { kernel, now, podsCgroup }: Pick<OwnReadings, "kernel" | "now" | "podsCgroup">,
  disks: NodeDisks,
): NodeStatistics {
  const time = new Date(now()).toISOString();
  const rlimit = processLimits(kernel, time);
  return {
    ...memoryOnly(kernel, { memorySource: "working-set", podsCgroup }, time),
    fs: fileSystem(disks.node),
    runtime: { imageFs: fileSystem(disks.image), containerFs: fileSystem(disks.container) },
    ...(rlimit === undefined ? {} : { rlimit }),
  };
}

function fileSystem({ capacityBytes, availableBytes, inodes, inodesFree, at }: FileSystemFacts): FileSystemStatistics {
  return {
    time: new Date(at).toISOString(),
    capacityBytes,
    availableBytes,
    ...(inodes === undefined ? {} : { inodes }),
    ...(inodesFree === undefined ? {} : { inodesFree }),
  };
}

const POD_UID = "io.kubernetes.pod.uid";
const CONTAINER_NAME = "io.kubernetes.container.name";

async function podStatistics(ports: OwnReadings, pods: readonly Pod[], what: What): Promise<readonly PodStatistics[]> {
  const containers = await containersByPod(ports);
  const podLogsDir = await ports.podLogsDir();
  const all: PodStatistics[] = [];
  // One after the other: `du` of many folders at once would be a load of its own.
  for (const pod of pods) {
    const measures = what === "all" || hasStorageLimits(pod);
    const running = containers.get(pod.metadata.uid) ?? [];
    const own = measures ? await withLogs(ports, podLogsDir, pod, running) : running;
    const volume = measures ? await volumes(ports, pod, what) : [];
    if (own.length > 0 || volume.length > 0) all.push(ofPod(pod, own, volume));
  }
  return all;
}

async function containersByPod(ports: OwnReadings): Promise<ReadonlyMap<string, readonly ContainerStatistics[]>> {
  const containers = new Map<string, ContainerStatistics[]>();
  for (const stats of await ports.listContainerStats()) {
    const uid = stats.labels[POD_UID];
    if (uid === undefined) continue;
    const own = containers.get(uid) ?? [];
    containers.set(uid, own);
    own.push(containerStatistics(stats));
  }
  return containers;
}

/** Logs lie below `<namespace>_<name>_<uid>/<container>`, as the kubelet has them. */
async function withLogs(
  { diskUsage }: OwnReadings,
  podLogsDir: string,
  { metadata: { namespace, name, uid } }: Pod,
  containers: readonly ContainerStatistics[],
): Promise<readonly ContainerStatistics[]> {
  const measured: ContainerStatistics[] = [];
  for (const container of containers) {
    const logs = await diskUsage(join(podLogsDir, `${namespace}_${name}_${uid}`, container.name));
    measured.push({ ...container, logs });
  }
  return measured;
}

function containerStatistics({
  labels,
  memoryWorkingSetBytes,
  writableLayerUsedBytes,
}: ContainerStats): ContainerStatistics {
  return {
    name: labels[CONTAINER_NAME] ?? "",
    ...(memoryWorkingSetBytes === undefined ? {} : { memory: { workingSetBytes: memoryWorkingSetBytes } }),
    ...(writableLayerUsedBytes === undefined ? {} : { rootfs: { usedBytes: writableLayerUsedBytes } }),
  };
}

function ofPod(
  { metadata: { uid, name, namespace } }: Pod,
  containers: readonly ContainerStatistics[],
  volume: readonly VolumeStatistics[],
): PodStatistics {
  const memory = containers.reduce((sum, one) => sum + (one.memory?.workingSetBytes ?? 0), 0);
  const parts = [...containers.flatMap(({ rootfs, logs }) => [rootfs, logs]), ...volume];
  const disk = parts.reduce((sum, fs) => sum + (fs?.usedBytes ?? 0), 0);
  return {
    podRef: { uid, name, namespace },
    containers,
    ...(containers.length === 0 ? {} : { memory: { workingSetBytes: memory } }),
    volume,
    "ephemeral-storage": { usedBytes: disk },
  };
}

/** emptyDirs; for `limits` those alone that may outgrow one. */
async function volumes(ports: OwnReadings, pod: Pod, what: What): Promise<readonly VolumeStatistics[]> {
  const { emptyDirs, pod: total } = storageLimits(pod);
  const measured: VolumeStatistics[] = [];
  for (const { name, path } of ports.volumeDirectories(pod.metadata.uid)) {
    if (what === "limits" && total === undefined && !emptyDirs.has(name)) continue;
    const { usedBytes, inodesUsed } = await ports.diskUsage(path);
    measured.push({ name, usedBytes, inodesUsed });
  }
  return measured;
}
