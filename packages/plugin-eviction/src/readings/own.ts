/** Statistics without a plugin that provides them: what the machine and the runtime say. */
import type { Pod } from "@hooklet/core";
import type { Statistics } from "../loop/ports.js";
import type { FileSystemStatistics, NodeStatistics } from "../statistics.js";
import { memoryOnly, processLimits } from "./machine.js";
import { type PodReadings, podStatistics } from "./own-pods.js";

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

export interface OwnReadings extends PodReadings {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Empty: where it usually is. */
  readonly podsCgroup: string;
  fileSystems(): Promise<NodeDisks>;
}

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
