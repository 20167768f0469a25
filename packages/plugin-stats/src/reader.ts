/**
 * The node's one source of statistics. Usage of pods is read from their cgroups, in one pass without asking the runtime; where no plugin
 * keeps cgroups, or none can be kept, it is what the runtime counts.
 */
import { errorText, type NodeContext, runnableContainers } from "@hooklet/core";
import {
  type CgroupLayout,
  type CgroupUsage,
  cgroupFolder,
  meminfoBytes,
  processesByContainer,
  processLimit,
  readCgroupLayout,
  readUsage,
} from "@hooklet/core/rules";
import type {
  ContainerStats,
  KernelFileReader,
  NodeFileSystems,
  NodeMemory,
  NodeStatistics,
  NodeSummary,
  PodCgroups,
} from "@hooklet/core/subsystem";
import { Once } from "@hooklet/utils";
import type { DiskMeasurer, DiskReading } from "./disk/measurer.js";
import { type NetworkUsage, readNodeNetwork, readPodNetwork } from "./network.js";
import { bootTime, nodeMemory, nodeSummary, readNodeUsage } from "./node-usage.js";
import { type CpuTimes, cpuTimesOf, RateWindow, readCpuTimes } from "./rates.js";
import { countedByRuntime } from "./runtime-usage.js";
import { fsOf, type MeasuredPod, podStatistics, podsContainer } from "./summary.js";
import { type PassInput, readProcessCounts, readTree, type TreeUsage } from "./tree.js";

/** Files that stay open from one reading to the next: that halves its cost. About 300 containers. */
const MAX_OPEN_FILES = 4096;
/** Cgroups of all pods by default. */
const USUAL_PODS = ["/kubepods.slice", "/kubepods"];

export interface Reading {
  readonly tree: TreeUsage;
  readonly node: CgroupUsage | undefined;
}

export class StatisticsReader {
  readonly #startedAt: number;
  readonly #files: KernelFileReader;
  /** Null: no cgroups are mounted. Hierarchies are mounted once. */
  #layout: CgroupLayout | null | undefined;
  /** Undefined: not read yet. */
  #podNetworks: boolean | undefined;
  /** What rates are taken against. */
  readonly #window = new RateWindow<CpuTimes>();
  /** The cgroups of running containers by id, each found once: a container does not move. */
  readonly #names = new Map<string, string>();
  readonly #missing = new Once();
  #closed = false;

  constructor(
    private readonly ctx: NodeContext,
    private readonly disks: DiskMeasurer,
  ) {
    this.#startedAt = ctx.clock.now();
    this.#files = ctx.host.kernel.reader(MAX_OPEN_FILES);
  }

  /** The pods that are measured, with the containers that run. */
  measured(): MeasuredPod[] {
    const { pods } = this.ctx;
    return pods.active().map((pod) => ({
      pod,
      containers: runnableContainers(pod).flatMap(({ name }) => {
        const running = pods.running({ podUid: pod.metadata.uid, container: name });
        return running === undefined ? [] : [{ name, id: running.containerId, startedAt: running.startedAt }];
      }),
    }));
  }

  /** Reads the cgroups of node and pods afresh; undefined where pods have none. */
  cgroups(pods: readonly MeasuredPod[]): Reading | undefined {
    const { layout } = this;
    const input = this.#input(pods);
    if (layout === undefined || input === undefined) return undefined;
    const now = this.ctx.clock.now();
    const tree = readTree(this.#files, layout, input, now);
    return this.#noted({ tree, node: readNodeUsage(this.#files, layout, now) });
  }

  /** The same, where pods have no cgroups as the runtime counts it. Rejects when the runtime does not answer. */
  async usage(pods: readonly MeasuredPod[]): Promise<Reading> {
    const found = this.cgroups(pods);
    if (found !== undefined) return found;
    const counted = await this.ctx.runtime.listContainerStats();
    const now = this.ctx.clock.now();
    const node = this.layout && readNodeUsage(this.#files, this.layout, now);
    return this.#noted({ tree: countedByRuntime(counted, pods, now), node });
  }

  #noted(reading: Reading): Reading {
    this.#window.next(cpuTimesOf(reading.tree, reading.node), reading.tree.at);
    return reading;
  }

  get layout(): CgroupLayout | undefined {
    this.#layout ??= readCgroupLayout(this.ctx.host.kernel.read("/proc/self/mountinfo") ?? "") ?? null;
    return this.#layout ?? undefined;
  }

  /** Consumers may keep earlier statistics: from here on their pods cannot be read. */
  close(): void {
    this.#closed = true;
    this.#files.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error("there are no statistics any more: @hooklet/plugin-stats has stopped");
  }

  /** Memory of the node and of all pods, now. */
  memory(): NodeMemory {
    this.#assertOpen();
    const { layout } = this;
    return layout === undefined ? {} : nodeMemory(this.#files, layout, this.#podsCgroup(layout), this.ctx.clock.now());
  }

  /**
   * The whole Summary. Of pods only the CPU time is read at once, as the base of the next rates; the rest when `pods` is
   * accessed: most readers that poll every few seconds need the node alone.
   */
  async summary(): Promise<NodeStatistics> {
    this.#assertOpen();
    const measured = this.measured();
    // These may take their time; what the kernel tells is read after them, so that it is new.
    const [fileSystems, disks, counted] = await Promise.all([
      this.#fileSystems(),
      this.onDisk(measured),
      this.#countedByRuntime(),
      this.#askForNetworks(),
    ]);
    this.#assertOpen();
    const now = this.ctx.clock.now();
    const { layout } = this;
    const podsCgroup = layout && this.#podsCgroup(layout);
    const { times, usage } = this.#pods(measured, counted, now);
    const own = ["/", ...(podsCgroup === undefined ? [] : [podsCgroup])];
    const ofNode = layout === undefined ? [] : readCpuTimes(this.#files, layout, own, now).nanoSeconds;
    const before = this.#window.next({ at: now, nanoSeconds: new Map([...ofNode, ...times]) }, now);
    const allPods = layout && podsCgroup && readUsage(this.#files, layout, podsCgroup, now);
    let pods: NodeStatistics["pods"] | undefined;
    const podsNow = (): NodeStatistics["pods"] => {
      this.#assertOpen();
      return podStatistics({
        tree: usage(),
        before,
        pods: measured,
        networks: this.#networksOf(measured),
        disks,
        nodeFs: fileSystems?.node,
        containerFs: fileSystems?.container,
        swapBytes: meminfoBytes(this.ctx.host.kernel.read("/proc/meminfo") ?? "", "SwapTotal") ?? 0,
      });
    };
    return {
      node: {
        ...this.#node(layout && readNodeUsage(this.#files, layout, now), now, before),
        systemContainers: podsContainer(allPods || undefined, before, this.#startedAt),
        ...(fileSystems !== undefined && {
          fs: fsOf(fileSystems.node),
          runtime: { imageFs: fsOf(fileSystems.image), containerFs: fsOf(fileSystems.container) },
        }),
      },
      get pods() {
        pods ??= podsNow();
        return pods;
      },
    };
  }

  /** CPU time of the pods, read now, and all of their usage, read on access. */
  #pods(
    measured: readonly MeasuredPod[],
    counted: Counted | undefined,
    now: number,
  ): { readonly times: CpuTimes["nanoSeconds"]; readonly usage: () => TreeUsage } {
    const { layout } = this;
    const input = this.#input(measured);
    if (layout !== undefined && input !== undefined) {
      return {
        times: readCpuTimes(this.#files, layout, pathsOf(input), now).nanoSeconds,
        usage: () => readTree(this.#files, layout, input, this.ctx.clock.now()),
      };
    }
    const { stats = [], error } = counted ?? {};
    return {
      times: cpuTimesOf(countedByRuntime(stats, measured, now), undefined).nanoSeconds,
      usage: () => {
        // The node's own numbers are of use without those of its pods.
        if (error !== undefined) throw error;
        return countedByRuntime(stats, measured, now, processesByContainer(this.ctx.host.kernel));
      },
    };
  }

  async #countedByRuntime(): Promise<Counted | undefined> {
    if (this.#where() !== undefined) return undefined;
    return this.ctx.runtime.listContainerStats().then(
      (stats) => ({ stats }),
      (error: unknown) => ({ error }),
    );
  }

  async #askForNetworks(): Promise<void> {
    this.#podNetworks ??= (await this.ctx.runtime.facts()).podNetworks;
  }

  /** Of pods with their own network, by uid. */
  async networks(pods: readonly MeasuredPod[]): Promise<ReadonlyMap<string, NetworkUsage>> {
    await this.#askForNetworks();
    return this.#networksOf(pods);
  }

  #networksOf(pods: readonly MeasuredPod[]): ReadonlyMap<string, NetworkUsage> {
    const { layout } = this;
    const { kernel } = this.ctx.host;
    const found = new Map<string, NetworkUsage>();
    const input = this.#podNetworks ? this.#input(pods.filter(({ pod }) => pod.spec.hostNetwork !== true)) : undefined;
    if (layout === undefined || input === undefined) return found;
    const now = this.ctx.clock.now();
    for (const one of input.pods) {
      const [, ...containers] = pathsOf({ ...input, pods: [one] });
      const network = readPodNetwork(kernel, this.#files, layout, containers, now);
      if (network !== undefined) found.set(one.uid, network);
    }
    return found;
  }

  /** How many processes run in each container, by its cgroup's path. */
  processes({ tree }: Reading): ReadonlyMap<string, number> {
    const { layout } = this;
    if (layout === undefined) return new Map();
    const paths = [...tree.byPod.values()].flatMap(({ containers }) =>
      [...containers.values()].map(({ path }) => path),
    );
    return readProcessCounts(this.#files, layout, paths);
  }

  /** What is known of the pods' disks; a pod that was never measured is waited for, a second at most. */
  async onDisk(pods: readonly MeasuredPod[]): Promise<DiskReading> {
    return this.disks.read(pods.map(({ pod }) => pod));
  }

  #node(usage: CgroupUsage | undefined, now: number, before: CpuTimes | undefined): NodeSummary {
    const { node, host } = this.ctx;
    const { kernel } = host;
    const input = {
      usage,
      before,
      // Not the node's capacity: the usage in the same object is the whole machine's.
      capacityBytes: meminfoBytes(kernel.read("/proc/meminfo") ?? "", "MemTotal") ?? node.capacity().memory ?? 0,
      nodeName: node.name,
      startedAt: bootTime(kernel) ?? this.#startedAt,
      network: readNodeNetwork(kernel, now),
    };
    return nodeSummary(kernel, input, now, processLimit(kernel));
  }

  async #fileSystems(): Promise<NodeFileSystems | undefined> {
    try {
      const found = await this.ctx.runtime.fileSystems();
      this.#missing.over("file systems");
      return found;
    } catch (error) {
      const why = errorText(error);
      if (this.#missing.isNews("file systems", why)) this.ctx.log.warn(`statistics without file systems: ${why}`);
      return undefined;
    }
  }

  /** Where pods have their cgroups; undefined where they have none, or none are mounted. */
  #where(): PodCgroups | undefined {
    return this.layout && this.ctx.node.cgroups();
  }

  /** The cgroup of all pods, also where others keep it. */
  #podsCgroup(layout: CgroupLayout): string | undefined {
    const there = (path: string): boolean => {
      const folder = cgroupFolder(layout, "memory", path);
      return folder !== undefined && this.#files.read(`${folder}/cgroup.procs`) !== undefined;
    };
    return this.#where()?.all ?? USUAL_PODS.find(there);
  }

  #input(pods: readonly MeasuredPod[]): PassInput | undefined {
    const where = this.#where();
    if (where === undefined) return undefined;
    this.#forgetOthers(pods);
    return {
      kubepods: where.all,
      qosPaths: where.classes,
      pods: pods.map(({ pod, containers }) => ({
        uid: pod.metadata.uid,
        path: where.pod(pod),
        containers: containers.map(({ id }) => id),
      })),
      containerName: (id, podPath) => {
        const name = this.#names.get(id) ?? where.container(id, podPath);
        if (name !== undefined) this.#names.set(id, name);
        return name;
      },
    };
  }

  #forgetOthers(pods: readonly MeasuredPod[]): void {
    const here = new Set(pods.flatMap(({ containers }) => containers.map(({ id }) => id)));
    for (const id of this.#names.keys()) if (!here.has(id)) this.#names.delete(id);
  }
}

interface Counted {
  readonly stats?: readonly ContainerStats[];
  readonly error?: unknown;
}

/** Of pods and their containers. */
function pathsOf({ pods, containerName }: PassInput): readonly string[] {
  return pods.flatMap(({ path, containers }) => [
    path,
    ...containers.flatMap((id) => {
      const name = containerName(id, path);
      return name === undefined ? [] : [`${path}/${name}`];
    }),
  ]);
}
