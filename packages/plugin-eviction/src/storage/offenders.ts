/** Pods that outgrew their limits of local storage (pkg/kubelet/eviction localStorageEviction). Pure. */
import type { Pod } from "@hooklet/core";
import { isCriticalPod } from "@hooklet/core/rules";
import type { DiskLayout } from "../layout.js";
import { type PodStatistics, plausible, type StatisticsByUid } from "../statistics.js";
import { isLimited, type StorageLimits, storageLimits } from "./limits.js";

/** Labels of `kubelet_evictions`. */
export type StorageSignal = "emptydirfs.limit" | "ephemeralpodfs.limit" | "ephemeralcontainerfs.limit";

export interface StorageOffender {
  readonly pod: Pod;
  readonly message: string;
  readonly signal: StorageSignal;
}

/** All of them, in the order of `pods`, each with its first offence. Pods without statistics and critical pods stay. */
export function storageOffenders(
  pods: readonly Pod[],
  statistics: StatisticsByUid,
  layout: DiskLayout,
): readonly StorageOffender[] {
  const offenders: StorageOffender[] = [];
  for (const pod of pods) {
    const limits = storageLimits(pod);
    const own = isLimited(limits) ? statistics.get(pod.metadata.uid) : undefined;
    if (own === undefined || isCriticalPod(pod)) continue;
    const offence =
      emptyDirOffence(pod, limits, own) ?? podOffence(limits, own) ?? containerOffence(limits, own, layout);
    if (offence !== undefined) offenders.push({ pod, ...offence });
  }
  return offenders;
}

type Offence = Omit<StorageOffender, "pod">;

function emptyDirOffence(pod: Pod, { emptyDirs }: StorageLimits, { volume = [] }: PodStatistics): Offence | undefined {
  if (emptyDirs.size === 0) return undefined;
  const used = new Map(volume.map(({ name, usedBytes }) => [name, plausible(usedBytes)]));
  for (const { name } of pod.spec.volumes ?? []) {
    const limit = emptyDirs.get(name);
    const bytes = used.get(name);
    if (limit === undefined || bytes === undefined || bytes <= limit.bytes) continue;
    const message = `Usage of EmptyDir volume "${name}" exceeds the limit "${limit.text}". `;
    return { message, signal: "emptydirfs.limit" };
  }
  return undefined;
}

function podOffence({ pod: limit }: StorageLimits, statistics: PodStatistics): Offence | undefined {
  if (limit === undefined || (plausible(statistics["ephemeral-storage"]?.usedBytes) ?? 0) <= limit.bytes)
    return undefined;
  const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${limit.text}. `;
  return { message, signal: "ephemeralpodfs.limit" };
}

/** In the order of the statistics. Writable layers on a disk of their own do not count. */
function containerOffence(limits: StorageLimits, statistics: PodStatistics, layout: DiskLayout): Offence | undefined {
  for (const { name, logs, rootfs } of statistics.containers ?? []) {
    const limit = limits.containers.get(name);
    const layer = layout.dedicatedImageFs ? undefined : plausible(rootfs?.usedBytes);
    const bytes = (plausible(logs?.usedBytes) ?? 0) + (layer ?? 0);
    if (limit === undefined || bytes <= limit.bytes) continue;
    const message = `Container ${name} exceeded its local ephemeral storage limit "${limit.text}". `;
    return { message, signal: "ephemeralcontainerfs.limit" };
  }
  return undefined;
}
