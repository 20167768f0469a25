/** Writable layers of containers, as the runtime tells of them. */
import { type ContainerStats, Labels } from "@hooklet/core";
import type { FileSystemStatistics } from "../statistics.js";

/** Undefined where the runtime does not count it. */
export function layerOf({
  writableLayerUsedBytes,
  writableLayerInodesUsed,
}: ContainerStats): FileSystemStatistics | undefined {
  if (writableLayerUsedBytes === undefined) return undefined;
  const inodes = writableLayerInodesUsed === undefined ? {} : { inodesUsed: writableLayerInodesUsed };
  return { usedBytes: writableLayerUsedBytes, ...inodes };
}

/** By the pod's uid and the container's name. */
export class Layers {
  readonly #byContainer = new Map<string, ContainerStats>();

  constructor(all: readonly ContainerStats[]) {
    for (const one of all) this.#byContainer.set(keyOf(one.labels[Labels.podUid], one.labels[Labels.containerName]), one);
  }

  of(podUid: string, container: string): ContainerStats | undefined {
    return this.#byContainer.get(keyOf(podUid, container));
  }
}

const keyOf = (podUid = "", container = ""): string => `${podUid}/${container}`;
