/** Limits of local storage: what a pod may store on the node, and which pods have outgrown theirs (pkg/kubelet/eviction localStorageEviction). Pure. */
import type { Pod } from "@hooklet/core";
import { formatQuantity, isCriticalPod, parseQuantity, podLimitList, type Quantity } from "@hooklet/core/rules";
import type { DiskLayout } from "./layout.js";
import { type PodStatistics, plausible, type StatisticsByUid } from "./observations.js";

export interface Limit {
  /** Whole bytes: what is used is over the limit when it is more than these. */
  readonly bytes: number;
  /** In canonical form. */
  readonly text: string;
}

export interface StorageLimits {
  /** Volume -> limit, above 0. */
  readonly emptyDirs: ReadonlyMap<string, Limit>;
  /** All containers together; 0 is a limit too. */
  readonly pod: Limit | undefined;
  /** Main container -> limit, not 0. */
  readonly containers: ReadonlyMap<string, Limit>;
}

const NANO = 1_000_000_000n;

function limitOf(quantity: Quantity): Limit {
  return { bytes: Number(quantity.nano / NANO), text: formatQuantity(quantity) };
}

/** By spec: a pod with a newer status is another object with the same spec. */
const cached = new WeakMap<Pod["spec"], StorageLimits>();

export function storageLimits(pod: Pod): StorageLimits {
  const known = cached.get(pod.spec);
  if (known !== undefined) return known;
  const limits = read(pod);
  cached.set(pod.spec, limits);
  return limits;
}

export function hasStorageLimits(pod: Pod): boolean {
  return isLimited(storageLimits(pod));
}

export function isLimited({ emptyDirs, pod, containers }: StorageLimits): boolean {
  return pod !== undefined || emptyDirs.size > 0 || containers.size > 0;
}

function read(pod: Pod): StorageLimits {
  const emptyDirs = new Map<string, Limit>();
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    const limit = emptyDir?.sizeLimit === undefined ? undefined : parseQuantity(String(emptyDir.sizeLimit));
    if (limit !== undefined && limit.nano > 0n) emptyDirs.set(name, limitOf(limit));
  }
  const containers = new Map<string, Limit>();
  for (const { name, resources } of pod.spec.containers) {
    const text = resources?.limits?.["ephemeral-storage"];
    const limit = text === undefined ? undefined : parseQuantity(String(text));
    if (limit !== undefined && limit.nano !== 0n) containers.set(name, limitOf(limit));
  }
  const total = podLimitList(pod).get("ephemeral-storage");
  return { emptyDirs, pod: total && limitOf(total), containers };
}

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

/** In the order of the statistics. Writable layers on a dedicated disk do not count. */
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
