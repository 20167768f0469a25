/** What pods have on the node's disk beside writable layers: volumes and logs. */
import { join } from "node:path";
import type { Pod } from "@hooklet/core";
import type { KernelTree } from "@hooklet/sim";
import type { Disks } from "./disks.js";
import type { Running } from "./running.js";

export interface DataAmounts {
  readonly volumes?: number;
  readonly logs?: number;
}

export class PodData {
  /** Path of the first volume by the pod's uid, of the log by the container's id. */
  readonly #paths = new Map<string, string>();

  constructor(
    private readonly rootDir: string,
    private readonly disks: Disks,
    private readonly kernel: KernelTree,
  ) {}

  used(uid: string, id: string): DataAmounts {
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
