/** How images, writable layers and everything else of the node are spread over disks. Pure. */

export interface DiskLayout {
  /** Images lie on another device than the agent's root dir, or than the writable layers. */
  readonly dedicatedImageFs: boolean;
  /** Writable layers lie on another device than images (CRI-O only). */
  readonly splitContainerImageFs: boolean;
}

export function isOneDisk({ dedicatedImageFs, splitContainerImageFs }: DiskLayout): boolean {
  return !dedicatedImageFs && !splitContainerImageFs;
}

/** Images and writable layers together on a disk of their own. */
export function isDedicated({ dedicatedImageFs, splitContainerImageFs }: DiskLayout): boolean {
  return dedicatedImageFs && !splitContainerImageFs;
}

/** Images alone on a disk of their own. */
export function isSplit({ dedicatedImageFs, splitContainerImageFs }: DiskLayout): boolean {
  return dedicatedImageFs && splitContainerImageFs;
}

/** The layout by the devices of the three file systems; writable layers without a device of their own are with the images. */
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
