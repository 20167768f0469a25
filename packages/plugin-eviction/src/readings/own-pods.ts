/** What pods use, without a plugin that knows: the runtime's container statistics, `du` of logs and emptyDirs, and the machine's processes. */
import { join } from "node:path";
import type { ContainerStats, DiskUsage, Pod } from "@hooklet/core";
import type { Asked } from "../loop/ports.js";
import type { ContainerStatistics, FileSystemStatistics, PodStatistics, VolumeStatistics } from "../statistics.js";
import { hasStorageLimits, storageLimits } from "../storage/limits.js";
import type { KernelReader } from "./machine.js";

export interface PodReadings {
  readonly kernel: KernelReader;
  /** Labels name pod and container as the kubelet's do. */
  listContainerStats(): Promise<readonly ContainerStats[]>;
  /** Where the pod's volumes lie. */
  volumeDirectories(uid: string): readonly { readonly name: string; readonly path: string }[];
  /** Where the logs of all pods lie. */
  podLogsDir(): Promise<string>;
  diskUsage(path: string): Promise<DiskUsage>;
  /** A folder that cannot be measured, or not all of it: that part of the pod's usage is missing. */
  unmeasured(path: string, error: unknown): void;
}

/** `limits`: logs and volumes of pods that may outgrow something; otherwise of all, with their processes. */
type What = Asked;

type Measuring = Pick<PodReadings, "volumeDirectories" | "diskUsage" | "unmeasured">;

/** Pods of which nothing is known are left out. */
export async function podStatistics(
  ports: PodReadings,
  pods: readonly Pod[],
  what: What,
): Promise<readonly PodStatistics[]> {
  const stats = byPod(await ports.listContainerStats());
  const processes = what !== "limits" ? countProcesses(ports.kernel) : undefined;
  const logs = await ports.podLogsDir();
  const all: PodStatistics[] = [];
  // One after the other: `du` of many folders at once would be a load of its own.
  for (const pod of pods) {
    const own = stats.get(pod.metadata.uid) ?? [];
    const measures = what !== "limits" || hasStorageLimits(pod);
    const folder = measures ? logFolder(logs, pod) : undefined;
    const containers: ContainerStatistics[] = [];
    for (const one of own) containers.push(await containerStatistics(ports, one, folder));
    const volume = measures ? await volumes(ports, pod, what) : [];
    if (containers.length === 0 && volume.length === 0) continue;
    all.push(ofPod(pod, containers, volume, processes && sum(own, ({ id }) => processes.get(id))));
  }
  return all;
}

const POD_UID = "io.kubernetes.pod.uid";
const CONTAINER_NAME = "io.kubernetes.container.name";

function byPod(all: readonly ContainerStats[]): ReadonlyMap<string, readonly ContainerStats[]> {
  const pods = new Map<string, ContainerStats[]>();
  for (const stats of all) {
    const uid = stats.labels[POD_UID];
    if (uid === undefined) continue;
    const own = pods.get(uid) ?? [];
    pods.set(uid, own);
    own.push(stats);
  }
  return pods;
}

/** As the kubelet lays them out: `<namespace>_<name>_<uid>/<container>`. */
function logFolder(podLogsDir: string, { metadata: { namespace, name, uid } }: Pod): string {
  return join(podLogsDir, `${namespace}_${name}_${uid}`);
}

async function containerStatistics(
  ports: PodReadings,
  { labels, memoryWorkingSetBytes, writableLayerUsedBytes }: ContainerStats,
  logFolder: string | undefined,
): Promise<ContainerStatistics> {
  const name = labels[CONTAINER_NAME] ?? "";
  const logs = logFolder === undefined ? undefined : await measured(ports, join(logFolder, name));
  return {
    name,
    ...(memoryWorkingSetBytes === undefined ? {} : { memory: { workingSetBytes: memoryWorkingSetBytes } }),
    ...(writableLayerUsedBytes === undefined ? {} : { rootfs: { usedBytes: writableLayerUsedBytes } }),
    ...(logs === undefined ? {} : { logs }),
  };
}

/** Statistics with emptyDirs measured now: a provider may not know them, or know them as they were minutes ago. */
export async function withFreshVolumes(
  ports: Measuring,
  pods: readonly Pod[],
  statistics: readonly PodStatistics[],
  what: What,
): Promise<readonly PodStatistics[]> {
  const byUid = new Map(pods.map((pod) => [pod.metadata.uid, pod]));
  const fresh: PodStatistics[] = [];
  for (const one of statistics) {
    const pod = byUid.get(one.podRef.uid);
    const measured = pod === undefined ? [] : await volumes(ports, pod, what);
    const told = one.volume ?? [];
    // A limit goes by what the provider says, where it says anything; a full disk by what is there now.
    const [first, second] = what === "limits" ? [told, measured] : [measured, told];
    const names = new Set(first.map(({ name }) => name));
    fresh.push({ ...one, volume: [...first, ...second.filter(({ name }) => !names.has(name))] });
  }
  return fresh;
}

/** emptyDirs; for `limits` those alone that may outgrow one. */
async function volumes(ports: Measuring, pod: Pod, what: What): Promise<readonly VolumeStatistics[]> {
  const { emptyDirs, pod: total } = storageLimits(pod);
  const all: VolumeStatistics[] = [];
  for (const { name, path } of ports.volumeDirectories(pod.metadata.uid)) {
    if (what === "limits" && total === undefined && !emptyDirs.has(name)) continue;
    const usage = await measured(ports, path);
    if (usage !== undefined) all.push({ name, ...usage });
  }
  return all;
}

async function measured(ports: Measuring, path: string): Promise<FileSystemStatistics | undefined> {
  try {
    const { usedBytes, inodesUsed, incomplete } = await ports.diskUsage(path);
    if (incomplete !== undefined) ports.unmeasured(path, new Error(incomplete));
    return { usedBytes, inodesUsed };
  } catch (error) {
    ports.unmeasured(path, error);
    return undefined;
  }
}

function ofPod(
  { metadata: { uid, name, namespace } }: Pod,
  containers: readonly ContainerStatistics[],
  volume: readonly VolumeStatistics[],
  processes: number | undefined,
): PodStatistics {
  const disks = [...containers.flatMap(({ rootfs, logs }) => [rootfs, logs]), ...volume];
  const memory = sum(containers, (one) => one.memory?.workingSetBytes);
  return {
    podRef: { uid, name, namespace },
    containers,
    ...(containers.length === 0 ? {} : { memory: { workingSetBytes: memory } }),
    volume,
    "ephemeral-storage": { usedBytes: sum(disks, (fs) => fs?.usedBytes) },
    ...(processes === undefined ? {} : { process_stats: { process_count: processes } }),
  };
}

function sum<T>(items: readonly T[], amount: (item: T) => number | undefined): number {
  return items.reduce((total, item) => total + (amount(item) ?? 0), 0);
}

/** Container id -> its processes: the last part of a process's cgroup names its container, in one way or another. */
function countProcesses(kernel: KernelReader): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const pid of kernel.directories("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const cgroups = kernel.read(`/proc/${pid}/cgroup`) ?? "";
    for (const id of new Set(cgroups.split("\n").map(containerId))) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** `.../<id>`, or systemd's `.../cri-containerd-<id>.scope`. */
function containerId(line: string): string {
  const last = line.slice(line.lastIndexOf("/") + 1);
  return /-([^-]+)\.scope$/.exec(last)?.[1] ?? last;
}
