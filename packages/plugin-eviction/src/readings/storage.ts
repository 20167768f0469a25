/** What pods have on the node's disks: writable layers, logs and emptyDirs, taken as told, or measured by `du` where nobody tells, or not lately. */
import { join } from "node:path";
import type { ContainerStats, DiskUsage, Pod } from "@hooklet/core";
import {
  type Asked,
  type ContainerStatistics,
  type FileSystemStatistics,
  type PodStatistics,
  plausible,
  type VolumeStatistics,
} from "../statistics.js";
import { hasStorageLimits, storageLimits } from "../storage/limits.js";
import { Layers, layerOf } from "./layers.js";

export interface StorageReadings {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Labels name pod and container as the kubelet's do. */
  listContainerStats(): Promise<readonly ContainerStats[]>;
  /** Where the pod's volumes lie. */
  volumeDirectories(uid: string): readonly { readonly name: string; readonly path: string; readonly medium?: string }[];
  /** Where the logs of all pods lie. */
  podLogsDir(): Promise<string>;
  diskUsage(path: string): Promise<DiskUsage>;
  /** A folder that cannot be measured, or not all of it: that part of the pod's usage is missing. */
  unmeasured(path: string, error: unknown): void;
}

/** Milliseconds: who has to go for a full disk is not decided by older numbers. */
const LATELY = 10_000;

/** The statistics with what is missing of them; where a disk is short also in place of what was not measured lately. */
export async function withStorage(
  ports: StorageReadings,
  pods: readonly Pod[],
  statistics: readonly PodStatistics[],
  what: Asked,
): Promise<readonly PodStatistics[]> {
  if (what !== "limits" && what !== "ephemeral-storage" && what !== "inodes") return statistics;
  const wanted = what === "limits" ? pods.filter(hasStorageLimits) : pods;
  const byUid = new Map(wanted.map((pod) => [pod.metadata.uid, pod]));
  const logs = await ports.podLogsDir();
  let layers: Promise<Layers> | undefined;
  const places = {
    logs,
    layers: () => {
      layers ??= ports.listContainerStats().then((all) => new Layers(all));
      return layers;
    },
  };
  // All at once: whoever measures does as many as it likes at a time.
  const completed = await Promise.all(
    statistics.map((one) => {
      const pod = byUid.get(one.podRef.uid);
      return pod === undefined ? one : new PodStorage(ports, pod, places, what).measured(one);
    }),
  );
  return completed.some((one, index) => one !== statistics[index]) ? completed : statistics;
}

/** As the kubelet lays them out: `<namespace>_<name>_<uid>/<container>`. */
function folderOf({ metadata: { namespace, name, uid } }: Pod): string {
  return `${namespace}_${name}_${uid}`;
}

interface Places {
  /** Where the logs of all pods lie. */
  readonly logs: string;
  /** Of all containers, asked for once. */
  layers(): Promise<Layers>;
}

/** The storage of one pod. */
class PodStorage {
  /** Something was measured here, so that sums which were told do not hold any more. */
  #changed = false;

  constructor(
    private readonly ports: StorageReadings,
    private readonly pod: Pod,
    private readonly places: Places,
    private readonly what: Asked,
  ) {}

  async measured(told: PodStatistics): Promise<PodStatistics> {
    const [containers, volume] = await Promise.all([
      Promise.all((told.containers ?? []).map((one) => this.#container(one))),
      this.#volumes(told.volume ?? []),
    ]);
    if (!this.#changed && told["ephemeral-storage"] !== undefined) return told;
    const inMemory = new Set(this.#folders.filter(({ medium }) => medium === "Memory").map(({ name }) => name));
    const onDisk = volume.filter(({ name }) => !inMemory.has(name));
    const parts = [...containers.flatMap(({ rootfs, logs }) => [rootfs, logs]), ...onDisk];
    const usedBytes = parts.reduce((sum, fs) => sum + (plausible(fs?.usedBytes) ?? 0), 0);
    return { ...told, containers, volume, "ephemeral-storage": { usedBytes } };
  }

  get #folders() {
    return this.ports.volumeDirectories(this.pod.metadata.uid);
  }

  async #container(told: ContainerStatistics): Promise<ContainerStatistics> {
    const { pod, containers } = storageLimits(this.pod);
    if (this.what === "limits" && pod === undefined && !containers.has(told.name)) return told;
    const [rootfs, logs] = await Promise.all([
      this.#wants(told.rootfs) ? this.#layer(told.name) : undefined,
      this.#wants(told.logs) ? this.#measure(join(this.places.logs, folderOf(this.pod), told.name)) : undefined,
    ]);
    return { ...told, ...(rootfs === undefined ? {} : { rootfs }), ...(logs === undefined ? {} : { logs }) };
  }

  async #layer(container: string): Promise<FileSystemStatistics | undefined> {
    try {
      const found = (await this.places.layers()).of(this.pod.metadata.uid, container);
      const counted = found && layerOf(found);
      if (counted === undefined) return await this.#measure(found?.writableLayerDirectory);
      this.#changed = true;
      return counted;
    } catch (error) {
      this.ports.unmeasured(`writable layer of ${container}`, error);
      return undefined;
    }
  }

  async #volumes(told: readonly VolumeStatistics[]): Promise<readonly VolumeStatistics[]> {
    const { emptyDirs, pod } = storageLimits(this.pod);
    const byName = new Map(told.map((one) => [one.name, one]));
    const wanted = this.#folders.filter(
      ({ name }) =>
        (this.what !== "limits" || pod !== undefined || emptyDirs.has(name)) && this.#wants(byName.get(name)),
    );
    await Promise.all(
      wanted.map(async ({ name, path }) => {
        const usage = await this.#measure(path);
        if (usage !== undefined) byName.set(name, { name, ...usage });
      }),
    );
    return [...byName.values()];
  }

  /** For a limit what is told is good enough, as in the kubelet. */
  #wants(told: FileSystemStatistics | undefined): boolean {
    if (plausible(told?.usedBytes) === undefined) return true;
    if (this.what === "limits") return false;
    const at = Date.parse(told?.time ?? "");
    // One of the future was taken before somebody set the clock back.
    return !(Math.abs(this.ports.now() - at) < LATELY);
  }

  async #measure(path: string | undefined): Promise<FileSystemStatistics | undefined> {
    if (path === undefined) return undefined;
    try {
      const { usedBytes, inodesUsed, incomplete } = await this.ports.diskUsage(path);
      if (incomplete !== undefined) this.ports.unmeasured(path, new Error(incomplete));
      this.#changed = true;
      return { usedBytes, inodesUsed };
    } catch (error) {
      this.ports.unmeasured(path, error);
      return undefined;
    }
  }
}
