/** How images, writable layers and everything else of the node are spread over disks, and what is cleaned on each before a pod goes. Pure. */
import { isStallSignal, type Signal, type StallSignal } from "./signals.js";

export interface DiskLayout {
  /** Images lie on another device than the agent's root dir, or than the writable layers. */
  readonly dedicatedImageFs: boolean;
  /** Writable layers lie on another device than images (CRI-O only). */
  readonly splitContainerImageFs: boolean;
}

export function isOneDisk({ dedicatedImageFs, splitContainerImageFs }: DiskLayout): boolean {
  return !dedicatedImageFs && !splitContainerImageFs;
}

/** Images and writable layers share a dedicated disk. */
export function isDedicated({ dedicatedImageFs, splitContainerImageFs }: DiskLayout): boolean {
  return dedicatedImageFs && !splitContainerImageFs;
}

/** Images alone have a dedicated disk. */
export function isSplit({ dedicatedImageFs, splitContainerImageFs }: DiskLayout): boolean {
  return dedicatedImageFs && splitContainerImageFs;
}

/** The layout by the devices of the three file systems; writable layers without a device are with the images. */
export function layoutOf(devices: {
  readonly node: string;
  readonly images: string;
  readonly containers?: string;
}): DiskLayout {
  const { node, images, containers = images } = devices;
  return { dedicatedImageFs: images !== node || images !== containers, splitContainerImageFs: images !== containers };
}

/** Kinds of local storage of a pod. */
export type StorageKind = "rootfs" | "logs" | "volumes";

/** `containers`: all dead ones, of ended pods too. `images`: all unused ones. Other plugins do the work. */
export type ReclaimFunction = "containers" | "images";

const BOTH: readonly ReclaimFunction[] = ["containers", "images"];

/** What is tried for a signal, in this order. */
export function reclaimFor(signal: Signal, layout: DiskLayout): readonly ReclaimFunction[] {
  return isStallSignal(signal) ? [] : reclaimFunctions(layout)[signal];
}

/** Of the kubelet's signals. */
export function reclaimFunctions(
  layout: DiskLayout,
): Readonly<Record<Exclude<Signal, StallSignal>, readonly ReclaimFunction[]>> {
  const { nodefs, imagefs, containerfs } = byDisk(layout);
  return {
    "memory.available": [],
    "allocatableMemory.available": [],
    "pid.available": [],
    "nodefs.available": nodefs,
    "nodefs.inodesFree": nodefs,
    "imagefs.available": imagefs,
    "imagefs.inodesFree": imagefs,
    "containerfs.available": containerfs,
    "containerfs.inodesFree": containerfs,
  };
}

function byDisk(
  layout: DiskLayout,
): Readonly<Record<"nodefs" | "imagefs" | "containerfs", readonly ReclaimFunction[]>> {
  if (isDedicated(layout)) return { nodefs: [], imagefs: BOTH, containerfs: BOTH };
  if (isSplit(layout)) return { nodefs: ["containers"], imagefs: ["images"], containerfs: ["containers"] };
  return { nodefs: BOTH, imagefs: BOTH, containerfs: BOTH };
}
