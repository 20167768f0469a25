/** Pods as ranking strategies see them: usage and request of the starved resource. Pure. */
import { namespacedName, type Pod } from "@hooklet/core";
import { isCriticalPod, podRequest } from "@hooklet/core/rules";
import { type DiskLayout, isDedicated, isSplit, type StorageKind } from "./layout.js";
import { type FileSystemStatistics, type PodStatistics, plausible, type StatisticsByUid } from "./observations.js";
import { resourceOf, type Signal, type StarvedResource } from "./signals.js";

export interface DiskUsage {
  readonly bytes: number;
  readonly inodes: number;
}

export function memoryUsage({ memory }: PodStatistics): number {
  return plausible(memory?.workingSetBytes) ?? 0;
}

export function processCount({ process_stats }: PodStatistics): number {
  return plausible(process_stats?.process_count) ?? 0;
}

export function movedBytes({ moved }: PodStatistics): number {
  return plausible(moved?.bytesPerSecond) ?? 0;
}

/** The sum over writable layers, logs and local volumes, as far as `kinds` names them. */
export function diskUsage(pod: Pod, statistics: PodStatistics, kinds: readonly StorageKind[]): DiskUsage {
  let bytes = 0;
  let inodes = 0;
  const add = (fs: FileSystemStatistics | undefined): void => {
    bytes += plausible(fs?.usedBytes) ?? 0;
    inodes += plausible(fs?.inodesUsed) ?? 0;
  };
  for (const { rootfs, logs } of statistics.containers ?? []) {
    if (kinds.includes("rootfs")) add(rootfs);
    if (kinds.includes("logs")) add(logs);
  }
  if (kinds.includes("volumes")) {
    for (const name of localVolumes(pod)) add(statistics.volume?.find((volume) => volume.name === name));
  }
  return { bytes, inodes };
}

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

/** Volumes that lie on the node's own disks: hostPath, emptyDir on disk, configMap, gitRepo. */
function localVolumes(pod: Pod): readonly string[] {
  return (pod.spec.volumes ?? []).filter(isLocal).map(({ name }) => name);
}

function isLocal({ hostPath, gitRepo, configMap, emptyDir }: Volume): boolean {
  return Boolean(hostPath ?? gitRepo ?? configMap) || (emptyDir !== undefined && (emptyDir?.medium ?? "") === "");
}

export interface EvictionCandidate {
  /** `metadata.uid`. */
  readonly uid: string;
  /** `namespace/name`. */
  readonly name: string;
  /** The pod, frozen. */
  readonly pod: Pod;
  /** `spec.priority`, 0 when there is none. */
  readonly priority: number;
  /** False when there are no statistics of the pod; `usage` is 0 then. */
  readonly known: boolean;
  /** How much of the resource the pod uses: bytes, inodes, processes; for io, bytes a second. */
  readonly usage: number;
  /** How much of it the pod requests; 0 for inodes, processes and io, which cannot be requested. */
  readonly request: number;
  /**
   * `usage` minus `request`. For inodes it is, as in the kubelet, the number of inodes minus the request of ephemeral-storage in
   * bytes.
   */
  readonly excess: number;
}

/** All pods that may go, in the order given. Critical ones may not. Frozen: a strategy gets them as they are. */
export function candidatesFor(
  signal: Signal,
  pods: readonly Pod[],
  statistics: StatisticsByUid,
  layout: DiskLayout,
): readonly EvictionCandidate[] {
  return pods
    .filter((pod) => !isCriticalPod(pod))
    .map((pod) => candidateOf(signal, pod, statistics.get(pod.metadata.uid), layout));
}

export function candidateOf(
  signal: Signal,
  pod: Pod,
  statistics: PodStatistics | undefined,
  layout: DiskLayout,
): EvictionCandidate {
  const usage = statistics === undefined ? 0 : usageOf(signal, pod, statistics, layout);
  const resource = resourceOf(signal);
  const asked = requestOf(pod, resource);
  return Object.freeze({
    uid: pod.metadata.uid,
    name: namespacedName(pod.metadata),
    pod,
    priority: pod.spec.priority ?? 0,
    known: statistics !== undefined,
    usage,
    request: isRequested(resource) ? asked : 0,
    excess: usage - asked,
  });
}

/** Can pods ask for it? */
export function isRequested(resource: StarvedResource): boolean {
  return resource === "memory" || resource === "ephemeral-storage";
}

function requestOf(pod: Pod, resource: StarvedResource): number {
  if (resource === "pids" || resource === "io") return 0;
  return podRequest(pod, resource === "memory" ? "memory" : "ephemeral-storage");
}

function usageOf(signal: Signal, pod: Pod, statistics: PodStatistics, layout: DiskLayout): number {
  switch (resourceOf(signal)) {
    case "memory":
      return memoryUsage(statistics);
    case "pids":
      return processCount(statistics);
    case "io":
      return movedBytes(statistics);
    case "inodes":
      return diskUsage(pod, statistics, storageOn(signal, layout)).inodes;
    case "ephemeral-storage":
      return diskUsage(pod, statistics, storageOn(signal, layout)).bytes;
  }
}

/** The storage of a pod that lies on the disk of a signal. Images belong to no pod. */
function storageOn(signal: Signal, layout: DiskLayout): readonly StorageKind[] {
  const [disk] = signal.split(".");
  if (isDedicated(layout)) return disk === "nodefs" ? ["logs", "volumes"] : ["rootfs"];
  if (isSplit(layout) && disk === "imagefs") return [];
  return ["rootfs", "logs", "volumes"];
}
