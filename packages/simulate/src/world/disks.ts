/** The disks of a scenario's machine: what is free follows from images, layers, volumes and logs. */

import { join } from "node:path";
import type { Pod } from "@hooklet/core";
import type { DiskUsage, HostFileSystem } from "@hooklet/core/subsystem";
import type { KernelTree, SimulatedImageFs } from "@hooklet/sim";
import type { FileSystemSpec } from "../scenario/schema.js";
import { amounts } from "../values/amounts.js";
import type { Running } from "./running.js";

const GIB = 1024 ** 3;
const NODE_DEVICE = "8:1";
const IMAGE_DEVICE = "8:17";

interface Size {
  capacity: number;
  /** Bytes that nothing in the scenario is known to use. */
  other: number;
  inodes: number;
  inodesFree: number;
}

export class Disks {
  readonly #image: Size;
  /** Undefined: one file system for all. */
  #node: Size | undefined;
  #layers = 0;
  #data = 0;
  #system = 0;
  readonly #paths = new Map<string, DiskUsage>();

  /** `imageBytes`: what images take now. */
  constructor(
    image: FileSystemSpec,
    node: FileSystemSpec | undefined,
    private readonly imageBytes: () => number,
  ) {
    const fresh = (): Size => ({ capacity: 100 * GIB, other: 40 * GIB, inodes: 6_000_000, inodesFree: 5_000_000 });
    this.#image = fresh();
    this.setImage({ available: Math.min(60 * GIB, amounts(image).capacity ?? Number.POSITIVE_INFINITY), ...image });
    if (node !== undefined) {
      this.#node = fresh();
      this.setNode({ available: Math.min(60 * GIB, amounts(node).capacity ?? Number.POSITIVE_INFINITY), ...node });
    }
  }

  /** From now on; what comes and goes later is counted from there. */
  setImage(given: FileSystemSpec): void {
    set(this.#image, given, this.imageBytes() + this.#layers + (this.#node === undefined ? this.#data : 0));
  }

  setNode(given: FileSystemSpec): void {
    if (this.#node === undefined) this.setImage(given);
    else set(this.#node, given, this.#data);
  }

  /** Bytes more, or less, in writable layers. */
  growLayers(bytes: number): void {
    this.#layers += bytes;
  }

  /** What lies at a path of volumes or logs, from now on; undefined: nothing any more. */
  setPath(path: string, bytes: number | undefined): void {
    this.#data += (bytes ?? 0) - (this.#paths.get(path)?.usedBytes ?? 0);
    if (bytes === undefined) this.#paths.delete(path);
    else this.#paths.set(path, { usedBytes: bytes, inodesUsed: 1 });
  }

  usageOf(path: string): DiskUsage | undefined {
    return this.#paths.get(path);
  }

  /** Bytes of the node's file system that no pod has, beside those of the beginning. */
  get system(): number {
    return this.#system;
  }

  setSystem(bytes: number): void {
    (this.#node ?? this.#image).other += bytes - this.#system;
    this.#system = bytes;
  }

  node(): HostFileSystem {
    const size = this.#node ?? this.#image;
    const { capacity, inodes, inodesFree } = size;
    const free = size === this.#image ? this.imageFree() : capacity - size.other - this.#data;
    const availableBytes = clamped(free, capacity);
    return { device: NODE_DEVICE, capacityBytes: capacity, availableBytes, inodes, inodesFree };
  }

  imageFs(): SimulatedImageFs {
    const { capacity, inodes, inodesFree } = this.#image;
    const device = this.#node === undefined ? NODE_DEVICE : IMAGE_DEVICE;
    return { capacity, available: clamped(this.imageFree(), capacity), inodes, inodesFree, device };
  }

  /** Not clamped: below 0 where images are too many. */
  imageFree(): number {
    const data = this.#node === undefined ? this.#data : 0;
    return this.#image.capacity - this.#image.other - this.imageBytes() - this.#layers - data;
  }
}

function set(size: Size, given: FileSystemSpec, used: number): void {
  const { capacity, available, inodes, inodesFree } = amounts(given);
  const before = size.capacity - size.other - used;
  size.capacity = capacity ?? size.capacity;
  size.other = size.capacity - used - (available ?? before);
  size.inodes = inodes ?? size.inodes;
  size.inodesFree = inodesFree ?? size.inodesFree;
}

function clamped(bytes: number, capacity: number): number {
  return Math.min(capacity, Math.max(0, bytes));
}

// What pods have on the node's disk beside writable layers: volumes and logs.

interface DataAmounts {
  readonly volumes?: number | undefined;
  readonly logs?: number | undefined;
}

export class PodData {
  /** Path of the first volume by the pod's uid, of the log by the container's id. */
  readonly #paths = new Map<string, string>();

  constructor(
    private readonly rootDir: string,
    private readonly disks: Disks,
    private readonly kernel: KernelTree,
  ) {}

  used(uid: string, id: string): { readonly volumes: number; readonly logs: number } {
    return { volumes: this.#bytesOf(uid), logs: this.#bytesOf(id) };
  }

  /** @throws Error when the pod has no volume of its own */
  set(pod: Pod, { id, logPath }: Running, { volumes, logs }: DataAmounts): void {
    const { uid, name } = pod.metadata;
    if (volumes !== undefined) {
      const own = pod.spec.volumes?.find(({ emptyDir }) => emptyDir !== undefined && emptyDir.medium !== "Memory");
      if (own === undefined) throw new Error(`pod ${name} has no emptyDir that could hold data`);
      this.#put(uid, join(this.rootDir, "pods", uid, "volumes", "kubernetes.io~empty-dir", own.name), volumes);
    }
    if (logs !== undefined) {
      this.kernel.set(logPath, "");
      this.#put(id, logPath, logs);
    }
  }

  /** A pod's volumes by its uid, a container's log by its id. */
  remove(key: string): void {
    const path = this.#paths.get(key);
    if (path === undefined) return;
    this.#paths.delete(key);
    this.disks.setPath(path, undefined);
    this.kernel.unset(path);
  }

  #put(key: string, path: string, bytes: number): void {
    this.#paths.set(key, path);
    this.disks.setPath(path, bytes);
  }

  #bytesOf(key: string): number {
    const path = this.#paths.get(key);
    return path === undefined ? 0 : (this.disks.usageOf(path)?.usedBytes ?? 0);
  }
}
