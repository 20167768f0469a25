/** Statistics without a plugin that provides them: what the machine and the runtime say. */
import type { Pod } from "@hooklet/core";
import type { Asked, FileSystemStatistics, NodeStatistics, PodStatistics, Statistics } from "../statistics.js";
import { type MemoryReading, memoryOnly, processLimits } from "./machine.js";
import { type PodReadings, podStatistics, withMoved } from "./own-pods.js";
import { type StorageReadings, withStorage } from "./storage.js";

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

export interface OwnReadings extends PodReadings, StorageReadings, Pick<MemoryReading, "podsCgroup" | "hierarchy"> {
  fileSystems(): Promise<NodeDisks>;
}

export async function readOwn(ports: OwnReadings, pods: () => readonly Pod[]): Promise<Statistics> {
  const node = nodeStatistics(ports, await ports.fileSystems());
  return {
    node,
    pods: async (what) => {
      const active = pods();
      const all = await completed(ports, active, await podStatistics(ports, active, what), what);
      return all.filter(({ containers = [], volume = [] }) => containers.length > 0 || volume.length > 0);
    },
  };
}

/** Statistics of the pods, whoever they are from, with what is missing of them for what is asked. */
export async function completed(
  ports: OwnReadings,
  pods: readonly Pod[],
  statistics: readonly PodStatistics[],
  what: Asked,
): Promise<readonly PodStatistics[]> {
  return what === "io" ? withMoved(ports, statistics) : withStorage(ports, pods, statistics, what);
}

/** @param disks asked afresh */
export function nodeStatistics(
  { kernel, now, podsCgroup, hierarchy }: Pick<OwnReadings, "kernel" | "now" | "podsCgroup" | "hierarchy">,
  disks: NodeDisks,
): NodeStatistics {
  const time = new Date(now()).toISOString();
  const rlimit = processLimits(kernel, time);
  return {
    ...memoryOnly(kernel, { memorySource: "working-set", podsCgroup, hierarchy }, time),
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
