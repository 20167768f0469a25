/** The node's one source of statistics: one pass over cgroup files, without asking the runtime for anything but file systems. */
import {
  errorText,
  type KernelFileReader,
  NodeAgentError,
  type NodeContext,
  type NodeFileSystems,
  type NodeStatistics,
  type NodeSummary,
  runnableContainers,
} from "@hooklet/core";
import { processLimit } from "@hooklet/core/rules";
import type { DiskMeasurer, DiskReading } from "../disk/measurer.js";
import { machineMemory, swapCapacity } from "../host/machine.js";
import { cgroupPath } from "../name/name.js";
import type { NodeRules } from "../plan/node-rules.js";
import { podPath } from "../plan/pod-plan.js";
import type { CgroupService, OpenCgroups } from "../service.js";
import { ContainerNames } from "./container-names.js";
import { type CpuTimes, cpuTimesOf, readCpuTimes } from "./cpu-time.js";
import { fsOf } from "./file-systems.js";
import { type NetworkUsage, readNodeNetwork, readPodNetwork } from "./network.js";
import { bootTime, nodeSummary, readNodeUsage } from "./node.js";
import { type PassInput, readTree, type TreeUsage } from "./pass.js";
import { readProcessCounts } from "./processes.js";
import { type MeasuredPod, podStatistics, podsContainer } from "./summary.js";
import { type CgroupUsage, readUsage } from "./usage.js";
import { RateWindow } from "./window.js";

/** Files that stay open from one reading to the next: that halves its cost. About 300 containers. */
const MAX_OPEN_FILES = 4096;

export interface Reading {
  readonly tree: TreeUsage;
  readonly node: CgroupUsage | undefined;
}

export class StatisticsReader {
  readonly #startedAt: number;
  readonly #files: KernelFileReader;
  /** Undefined: not asked yet. */
  #podNetworks: boolean | undefined;
  /** What rates are taken against. */
  readonly #window = new RateWindow<CpuTimes>();
  readonly #names = new ContainerNames();
  /** The last reason why there were no file systems: said once. */
  #withoutFileSystems: string | undefined;
  #closed = false;

  constructor(
    private readonly ctx: NodeContext,
    private readonly service: CgroupService,
    private readonly disks: DiskMeasurer,
  ) {
    this.#startedAt = ctx.clock.now();
    this.#files = ctx.host.kernel.reader(MAX_OPEN_FILES);
  }

  /** The pods whose cgroups are read, with the containers that run. */
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

  /** Reads all cgroups afresh; undefined where none are kept. */
  read(pods: readonly MeasuredPod[]): Reading | undefined {
    const { open } = this.service;
    if (open === undefined) return undefined;
    const now = this.ctx.clock.now();
    this.#names.keep(pods);
    const input = inputOf(open.manager.rules, pods, (id, podPath) => this.#names.of(open, id, podPath));
    const tree = readTree(this.#files, open.layout, input, now);
    const reading = { tree, node: readNodeUsage(this.#files, open.layout, now) };
    this.#window.next(cpuTimesOf(tree, reading.node), now);
    return reading;
  }

  /** What was told before can be kept by others: of its pods nothing can be read from here on. */
  close(): void {
    this.#closed = true;
    this.#files.close();
  }

  /** @throws NodeAgentError UNSUPPORTED when cgroups are not kept; Error when not any more */
  #opened(): OpenCgroups {
    const { open, why } = this.service;
    if (this.#closed) throw new Error("there are no statistics any more: @hooklet/plugin-cgroups has stopped");
    if (open === undefined) throw new NodeAgentError("UNSUPPORTED", `there are no statistics: ${why}`);
    return open;
  }

  /**
   * The whole Summary. Of pods only their CPU time is read at once, against which the next ones have their rates; the rest when somebody
   * looks at `pods`: most of those who ask every few seconds want to know of the node alone.
   * @throws NodeAgentError UNSUPPORTED when cgroups are not kept
   */
  async summary(): Promise<NodeStatistics> {
    this.#opened();
    const measured = this.measured();
    // These may take their time; what the kernel tells is read after them, so that it is new.
    const [fileSystems, disks] = await Promise.all([
      this.#fileSystems(),
      this.disks.read(measured.map(({ pod }) => pod)),
      this.#askForNetworks(),
    ]);
    const open = this.#opened();
    const now = this.ctx.clock.now();
    this.#names.keep(measured);
    const input = inputOf(open.manager.rules, measured, (id, podPath) => this.#names.of(open, id, podPath));
    const times = readCpuTimes(this.#files, open.layout, ["/", input.kubepods, ...pathsOf(input)], now);
    const before = this.#window.next(times, now);
    const kubepods = readUsage(this.#files, open.layout, input.kubepods, now);
    let pods: NodeStatistics["pods"] | undefined;
    const podsNow = (): NodeStatistics["pods"] => {
      this.#opened();
      return podStatistics({
        tree: readTree(this.#files, open.layout, input, this.ctx.clock.now()),
        before,
        pods: measured,
        networks: this.#networksOf(measured),
        disks,
        nodeFs: fileSystems?.node,
        containerFs: fileSystems?.container,
        swapBytes: swapCapacity(open.files),
      });
    };
    return {
      node: {
        ...this.#node(open, now, before),
        systemContainers: podsContainer(kubepods, before, this.#startedAt),
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

  async #askForNetworks(): Promise<void> {
    this.#podNetworks ??= (await this.ctx.runtime.facts()).podNetworks;
  }

  /** Of pods that have a network of their own, by uid. */
  async networks(pods: readonly MeasuredPod[]): Promise<ReadonlyMap<string, NetworkUsage>> {
    await this.#askForNetworks();
    return this.#networksOf(pods);
  }

  #networksOf(pods: readonly MeasuredPod[]): ReadonlyMap<string, NetworkUsage> {
    const { open } = this.service;
    const found = new Map<string, NetworkUsage>();
    if (open === undefined || !this.#podNetworks) return found;
    const { rules } = open.manager;
    const now = this.ctx.clock.now();
    for (const { pod, containers } of pods) {
      if (pod.spec.hostNetwork === true) continue;
      const path = podPath(pod, rules);
      const names = containers.flatMap(({ id }) => this.#names.of(open, id, path) ?? []);
      const paths = names.map((name) => `${path}/${name}`);
      const network = readPodNetwork(open.files, this.#files, open.layout, paths, now);
      if (network !== undefined) found.set(pod.metadata.uid, network);
    }
    return found;
  }

  /** How many processes run in each container, by its cgroup's path. */
  processes({ tree }: Reading): ReadonlyMap<string, number> {
    const { open } = this.service;
    if (open === undefined) return new Map();
    const paths = [...tree.byPod.values()].flatMap(({ containers }) =>
      [...containers.values()].map(({ path }) => path),
    );
    return readProcessCounts(this.#files, open.layout, paths);
  }

  /** What is known of the pods' disks; a pod that was never measured is waited for, a second at most. */
  async onDisk(pods: readonly MeasuredPod[]): Promise<DiskReading> {
    return this.disks.read(pods.map(({ pod }) => pod));
  }

  #node(open: OpenCgroups, now: number, before: CpuTimes | undefined): NodeSummary {
    const { node } = this.ctx;
    const input = {
      usage: readNodeUsage(this.#files, open.layout, now),
      before,
      // Not the node's capacity: the usage beside it is the whole machine's.
      capacityBytes: machineMemory(open.files) ?? node.capacity().memory ?? 0,
      nodeName: node.name,
      startedAt: bootTime(open.files) ?? this.#startedAt,
      network: readNodeNetwork(open.files, now),
    };
    return nodeSummary(open.files, input, now, processLimit(open.files));
  }

  async #fileSystems(): Promise<NodeFileSystems | undefined> {
    try {
      const found = await this.ctx.runtime.fileSystems();
      this.#withoutFileSystems = undefined;
      return found;
    } catch (error) {
      const why = errorText(error);
      if (why !== this.#withoutFileSystems) this.ctx.log.warn(`statistics without file systems: ${why}`);
      this.#withoutFileSystems = why;
      return undefined;
    }
  }
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

function inputOf(rules: NodeRules, pods: readonly MeasuredPod[], containerName: PassInput["containerName"]): PassInput {
  const { roots, driver } = rules;
  return {
    kubepods: cgroupPath(rules.kubepods, driver),
    qosPaths: {
      Guaranteed: cgroupPath(roots.Guaranteed, driver),
      Burstable: cgroupPath(roots.Burstable, driver),
      BestEffort: cgroupPath(roots.BestEffort, driver),
    },
    pods: pods.map(({ pod, containers }) => ({
      uid: pod.metadata.uid,
      path: podPath(pod, rules),
      containers: containers.map(({ id }) => id),
    })),
    containerName,
  };
}
