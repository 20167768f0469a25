/**
 * Measures the disk usage of pods: volumes, logs, writable layers. Each at most once a period, all together, and only while statistics are
 * read, so the cost is bounded however often they are read.
 */

import { errorText, type NodeContext, type Pod, runnableContainers } from "@hooklet/core";
import { podLogDirectory } from "@hooklet/core/rules";
import { type KernelFiles, pause, type VolumeDirectory } from "@hooklet/core/subsystem";
import { Once } from "@hooklet/utils";
import { type Measured, type MeasuredVolume, type PodDisk, sumOf } from "./usage.js";

/** Milliseconds that a reader waits for pods that were never measured; later results come with the next read. */
const PATIENCE = 1000;
/** Milliseconds that a reader waits for fresh results. */
const LONG_PATIENCE = 20_000;

interface MeasurerParts {
  readonly ctx: Pick<NodeContext, "clock" | "host" | "runtime" | "pods" | "log" | "signal"> & {
    readonly node: Pick<NodeContext["node"], "rootDir">;
  };
  /** Milliseconds; undefined: no measurements. */
  readonly period: number | undefined;
  /** How long one volume took, seconds. */
  readonly volumeTook: (seconds: number) => void;
}

interface Kept {
  readonly disk: PodDisk;
  /** Monotonic milliseconds. */
  readonly began: number;
}

export interface DiskReading {
  readonly disks: ReadonlyMap<string, PodDisk>;
  /** Writable layers by the runtime's id of the container. */
  readonly layers: ReadonlyMap<string, Measured>;
}

export class DiskMeasurer {
  readonly #kept = new Map<string, Kept>();
  #layers: ReadonlyMap<string, Measured> = new Map();
  #layersBegan: number | undefined;
  /** One at a time. */
  #running: Promise<void> | undefined;
  readonly #failures = new Once();

  constructor(private readonly parts: MeasurerParts) {}

  /** The known results of these pods; results that are too old are measured again meanwhile. Never rejects. */
  async read(pods: readonly Pod[]): Promise<DiskReading> {
    const { period } = this.parts;
    this.#forgetOthers(pods);
    const unknown = pods.some(({ metadata }) => !this.#kept.has(metadata.uid));
    const measuring = period === undefined ? undefined : this.#measureOlder(pods, period);
    if (unknown && measuring !== undefined) await this.#patiently(measuring, PATIENCE);
    return {
      disks: new Map([...this.#kept].map(([uid, { disk }]) => [uid, disk])),
      layers: this.#layers,
    };
  }

  /** Measures what is known as older than so many milliseconds, and waits for it, 20 s at most. Never rejects. */
  async fresh(pods: readonly Pod[], maxAge: number): Promise<void> {
    const { clock } = this.parts.ctx;
    const until = clock.monotonic() + LONG_PATIENCE;
    // What is under way may have begun too early, or be of some pods alone.
    if (this.#running !== undefined) await this.#patiently(this.#running, LONG_PATIENCE);
    const left = until - clock.monotonic();
    const measuring = left > 0 ? this.#measureOlder(pods, maxAge) : undefined;
    if (measuring !== undefined) await this.#patiently(measuring, left);
  }

  /** Undefined when no result is that old and no measurement is under way. */
  #measureOlder(pods: readonly Pod[], maxAge: number): Promise<void> | undefined {
    const due = this.parts.ctx.clock.monotonic() - maxAge;
    const old = pods.filter(({ metadata }) => (this.#kept.get(metadata.uid)?.began ?? Number.NEGATIVE_INFINITY) <= due);
    if (old.length > 0) this.#running ??= this.#measure(old, due).finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #patiently(work: Promise<void>, milliseconds: number): Promise<void> {
    const enough = new AbortController();
    await Promise.race([work, pause(this.parts.ctx.clock, milliseconds, enough.signal)]);
    enough.abort();
  }

  async #measure(pods: readonly Pod[], due: number): Promise<void> {
    const { ctx } = this.parts;
    const began = ctx.clock.monotonic();
    try {
      const { podLogsDir } = await ctx.runtime.facts();
      const layers =
        this.#layersBegan === undefined || this.#layersBegan <= due ? this.#measureLayers(began) : undefined;
      const all = pods.map(async (pod) => {
        const disk = await this.#measurePod(pod, podLogsDir);
        this.#kept.set(pod.metadata.uid, { disk, began });
      });
      await Promise.all([layers, ...all]);
    } catch (error) {
      this.#untellable("the pods' data", error);
    }
  }

  async #measurePod(pod: Pod, podLogsDir: string): Promise<PodDisk> {
    const { ctx } = this.parts;
    const volumes = ctx.pods.volumeDirectories(pod.metadata.uid);
    const { kernel } = ctx.host;
    const places = placesOf(pod, { podLogsDir, rootDir: ctx.node.rootDir, volumes, kernel });
    const [logs, podLogs, measured, ownFiles] = await Promise.all([
      this.#logs(places.logs),
      this.#files(places.podLogs),
      Promise.all(places.volumes.map((volume) => this.#volume(volume))),
      this.#files(places.ownFiles),
    ]);
    return { logs, podLogs, volumes: measured.flatMap((one) => one ?? []), ownFiles };
  }

  async #logs(byContainer: PodPlaces["logs"]): Promise<PodDisk["logs"]> {
    const logs = await Promise.all(
      [...byContainer].map(async ([name, files]) => [name, await this.#files(files)] as const),
    );
    return new Map(logs.flatMap(([name, usage]) => (usage === undefined ? [] : [[name, usage]])));
  }

  /** Undefined when none of them could be counted. */
  async #files(paths: readonly string[]): Promise<Measured | undefined> {
    const all = await Promise.all(paths.map((path) => this.#path(path)));
    return sumOf(all.flatMap((one) => one ?? []));
  }

  async #volume({ name, path, medium }: PodPlaces["volumes"][number]): Promise<MeasuredVolume | undefined> {
    const { ctx, volumeTook } = this.parts;
    const began = ctx.clock.monotonic();
    const usage = await this.#path(path);
    if (usage === undefined) return undefined;
    volumeTook((ctx.clock.monotonic() - began) / 1000);
    const ephemeral = medium === "";
    return { ...usage, name, ephemeral, fileSystem: ephemeral ? undefined : await this.#fileSystem(path) };
  }

  async #fileSystem(path: string): Promise<MeasuredVolume["fileSystem"]> {
    try {
      return await this.parts.ctx.host.statfs(path);
    } catch (error) {
      this.#untellable(path, error);
      return undefined;
    }
  }

  async #path(path: string): Promise<Measured | undefined> {
    const { ctx } = this.parts;
    try {
      const { usedBytes, inodesUsed } = await ctx.host.diskUsage(path, ctx.signal);
      this.#failures.over(path);
      return { at: ctx.clock.now(), usedBytes, inodesUsed };
    } catch (error) {
      this.#untellable(path, error);
      return undefined;
    }
  }

  /** One call for all: asking for each by itself costs a runtime far more. */
  async #measureLayers(began: number): Promise<void> {
    const { ctx } = this.parts;
    try {
      const stats = await ctx.runtime.listContainerStats();
      const at = ctx.clock.now();
      const layers = await Promise.all(
        stats.map(async (one): Promise<readonly [string, Measured | undefined]> => {
          const { id, writableLayerUsedBytes: usedBytes, writableLayerInodesUsed, writableLayerDirectory } = one;
          if (usedBytes !== undefined) return [id, { at, usedBytes, inodesUsed: writableLayerInodesUsed }];
          return [id, writableLayerDirectory === undefined ? undefined : await this.#path(writableLayerDirectory)];
        }),
      );
      this.#layers = new Map(layers.flatMap(([id, usage]) => (usage === undefined ? [] : [[id, usage]])));
      this.#layersBegan = began;
    } catch (error) {
      this.#untellable("the writable layers", error);
    }
  }

  /** Each thing once, until it can be measured again; a pod may have gone meanwhile, so it is no warning. */
  #untellable(what: string, error: unknown): void {
    if (this.parts.ctx.signal.aborted || !this.#failures.isNews(what)) return;
    this.parts.ctx.log.debug({ err: error }, `statistics without the disk usage of ${what}: ${errorText(error)}`);
  }

  #forgetOthers(pods: readonly Pod[]): void {
    const here = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const uid of this.#kept.keys()) if (!here.has(uid)) this.#kept.delete(uid);
    // Paths of pods that are gone would pile up.
    if (this.#failures.size > 1000) this.#failures.forget();
  }
}

// Where a pod's data lie on the node's disks. Pure but for the names of log files.

/** Each path is counted by itself. */
interface PodPlaces {
  /** Log files by container. */
  readonly logs: ReadonlyMap<string, readonly string[]>;
  /** Log files that are no container's. */
  readonly podLogs: readonly string[];
  readonly volumes: readonly VolumeDirectory[];
  /** What the agent gives to containers: the hosts file, and the folder of termination logs, in which they write. Without what is not there. */
  readonly ownFiles: readonly string[];
}

interface PlaceFacts {
  readonly podLogsDir: string;
  readonly rootDir: string;
  readonly volumes: readonly VolumeDirectory[];
  readonly kernel: Pick<KernelFiles, "entries" | "directories" | "changedAt">;
}

/** Log files of one folder that are counted: rotation keeps five a container. */
const MAX_LOG_FILES = 256;

function placesOf(pod: Pod, { podLogsDir, rootDir, volumes, kernel }: PlaceFacts): PodPlaces {
  const folder = podLogDirectory(podLogsDir, pod);
  const filesIn = (path: string): string[] => {
    const folders = new Set(kernel.directories(path));
    const files = kernel.entries(path).filter((name) => !folders.has(name));
    return files.slice(0, MAX_LOG_FILES).map((name) => `${path}/${name}`);
  };
  const names = runnableContainers(pod).map(({ name }) => name);
  const ownFiles = ["etc-hosts", "containers"].map((file) => `${rootDir}/pods/${pod.metadata.uid}/${file}`);
  return {
    logs: new Map(names.map((name) => [name, filesIn(`${folder}/${name}`)])),
    podLogs: filesIn(folder),
    volumes,
    ownFiles: ownFiles.filter((path) => kernel.changedAt(path) !== undefined),
  };
}
