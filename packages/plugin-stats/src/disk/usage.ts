/** Measured disk usage of a pod, and its statistics. Pure. */

import type { FsStatistics, HostFileSystem, PodStatistics, VolumeStatistics } from "@hooklet/core/subsystem";
import { rfc3339 } from "@hooklet/utils";

export interface Measured {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly usedBytes: number;
  /** Undefined where only bytes are known. */
  readonly inodesUsed: number | undefined;
}

export interface MeasuredVolume extends Measured {
  readonly name: string;
  /** On the node's disk, so that it counts as ephemeral storage. */
  readonly ephemeral: boolean;
  readonly fileSystem: HostFileSystem | undefined;
}

/** What could not be measured is missing. */
export interface PodDisk {
  readonly logs: ReadonlyMap<string, Measured>;
  readonly podLogs: Measured | undefined;
  readonly volumes: readonly MeasuredVolume[];
  readonly ownFiles: Measured | undefined;
}

export interface DiskInput {
  readonly disk: PodDisk | undefined;
  /** Writable layers by the runtime's id of the container. */
  readonly layers: ReadonlyMap<string, Measured>;
  /** Where logs and emptyDirs lie, and where writable layers do. */
  readonly nodeFs: HostFileSystem | undefined;
  readonly containerFs: HostFileSystem | undefined;
}

export interface ContainerDisk {
  readonly rootfs?: FsStatistics;
  readonly logs?: FsStatistics;
}

/** Writable layer and logs of one container. */
export function containerDisk(
  { disk, layers, nodeFs, containerFs }: DiskInput,
  name: string,
  id: string,
): ContainerDisk {
  const layer = layers.get(id);
  const logs = disk?.logs.get(name);
  return {
    ...(layer !== undefined && { rootfs: statisticsOf(layer, containerFs) }),
    ...(logs !== undefined && { logs: statisticsOf(logs, nodeFs) }),
  };
}

/**
 * Volumes, and what the pod takes of the node's disk: writable layers and logs of its containers, its volumes on disk, its logs,
 * its hosts file (the kubelet's calcEphemeralStorage) and termination logs. @param ids of the containers that run
 */
export function podDisk(
  { disk, layers, nodeFs }: DiskInput,
  ids: readonly string[],
): Pick<PodStatistics, "volume" | "ephemeral-storage"> {
  if (disk === undefined) return {};
  const own = ids.flatMap((id) => layers.get(id) ?? []);
  const parts = [...own, ...disk.logs.values(), ...disk.volumes.filter(({ ephemeral }) => ephemeral)];
  for (const part of [disk.podLogs, disk.ownFiles]) if (part !== undefined) parts.push(part);
  const volume = disk.volumes.map(
    (one): VolumeStatistics => ({ ...statisticsOf(one, one.fileSystem ?? nodeFs), name: one.name }),
  );
  const total = sumOf(parts);
  return {
    ...(volume.length > 0 && { volume }),
    ...(total !== undefined && { "ephemeral-storage": statisticsOf(total, nodeFs) }),
  };
}

/** Of the oldest of its parts; undefined when there are none. */
export function sumOf(parts: readonly Measured[]): Measured | undefined {
  if (parts.length === 0) return undefined;
  let usedBytes = 0;
  let inodesUsed = 0;
  let at = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    usedBytes += part.usedBytes;
    inodesUsed += part.inodesUsed ?? 0;
    at = Math.min(at, part.at);
  }
  return { at, usedBytes, inodesUsed };
}

function statisticsOf({ at, usedBytes, inodesUsed }: Measured, fileSystem: HostFileSystem | undefined): FsStatistics {
  const { availableBytes, capacityBytes, inodesFree, inodes } = fileSystem ?? {};
  return {
    time: rfc3339(at),
    ...(availableBytes !== undefined && { availableBytes }),
    ...(capacityBytes !== undefined && { capacityBytes }),
    usedBytes,
    ...(inodesFree !== undefined && { inodesFree }),
    ...(inodes !== undefined && { inodes }),
    ...(inodesUsed !== undefined && { inodesUsed }),
  };
}
