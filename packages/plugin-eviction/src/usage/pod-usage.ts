/** What a pod uses of what runs short (pkg/kubelet/eviction helpers). A number that is missing, or none, counts as 0. Pure. */
import type { Pod } from "@hooklet/core";
import type { StorageKind } from "../layout.js";
import { type FileSystemStatistics, type PodStatistics, plausible } from "../statistics.js";

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
