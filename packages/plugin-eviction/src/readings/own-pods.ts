/** What pods use, without a plugin that knows: the runtime's container statistics, and the machine's processes. */
import { type ContainerStats, Labels, type Pod } from "@hooklet/core";
import type { Asked, ContainerStatistics, PodStatistics } from "../statistics.js";
import { layerOf } from "./layers.js";
import type { KernelReader } from "./machine.js";
import { movedBetween, movedSoFar, processesByContainer } from "./processes.js";

export interface PodReadings {
  /** Milliseconds since the epoch. */
  now(): number;
  readonly kernel: KernelReader;
  /** Labels name pod and container as the kubelet's do. */
  listContainerStats(): Promise<readonly ContainerStats[]>;
  /** Resolves after so many milliseconds. */
  pause(milliseconds: number): Promise<void>;
}

/** Those of a pod without containers say nothing of it yet. */
export async function podStatistics(
  ports: Pick<PodReadings, "kernel" | "listContainerStats" | "now">,
  pods: readonly Pod[],
  what: Asked,
): Promise<readonly PodStatistics[]> {
  const stats = byPod(await ports.listContainerStats());
  const time = new Date(ports.now()).toISOString();
  const processes = what === "pids" ? processesByContainer(ports.kernel) : undefined;
  return pods.map(({ metadata: { uid, name, namespace } }) => {
    const own = stats.get(uid) ?? [];
    const containers = own.map((one) => containerStatistics(one, time));
    const memory = sum(containers, (one) => one.memory?.workingSetBytes ?? 0);
    const count = processes && sum(own, ({ id }) => processes.get(id)?.length ?? 0);
    return {
      podRef: { uid, name, namespace },
      containers,
      ...(containers.length === 0 ? {} : { memory: { workingSetBytes: memory } }),
      ...(count === undefined ? {} : { process_stats: { process_count: count } }),
    };
  });
}

/** Milliseconds between the two looks at what processes read and write. */
const LOOK = 1000;

/** The statistics with what each pod reads and writes in a second. */
export async function withMoved(
  { kernel, listContainerStats, pause }: PodReadings,
  statistics: readonly PodStatistics[],
): Promise<readonly PodStatistics[]> {
  const containers = byPod(await listContainerStats());
  const before = movedSoFar(kernel, [...processesByContainer(kernel).values()].flat());
  await pause(LOOK);
  const processes = processesByContainer(kernel);
  const after = movedSoFar(kernel, [...processes.values()].flat());
  return statistics.map((one) => {
    const pids = (containers.get(one.podRef.uid) ?? []).flatMap(({ id }) => processes.get(id) ?? []);
    return { ...one, moved: { bytesPerSecond: movedBetween(before, after, pids) / (LOOK / 1000) } };
  });
}

function byPod(all: readonly ContainerStats[]): ReadonlyMap<string, readonly ContainerStats[]> {
  const pods = new Map<string, ContainerStats[]>();
  for (const stats of all) {
    const uid = stats.labels[Labels.podUid];
    if (uid === undefined) continue;
    const own = pods.get(uid) ?? [];
    pods.set(uid, own);
    own.push(stats);
  }
  return pods;
}

function containerStatistics(stats: ContainerStats, time: string): ContainerStatistics {
  const { labels, memoryWorkingSetBytes } = stats;
  const rootfs = layerOf(stats);
  return {
    name: labels[Labels.containerName] ?? "",
    ...(memoryWorkingSetBytes === undefined ? {} : { memory: { workingSetBytes: memoryWorkingSetBytes } }),
    ...(rootfs === undefined ? {} : { rootfs: { time, ...rootfs } }),
  };
}

function sum<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}
