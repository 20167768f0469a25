/** The node's one source of statistics: one pass over cgroup files, without asking the runtime for anything but file systems. */
import { errorText, type NodeContext } from "@hooklet/core";
import { machineMemory, pidLimit } from "../host/machine.js";
import { cgroupPath } from "../name/name.js";
import type { NodeRules } from "../plan/node-rules.js";
import { podPath } from "../plan/pod-plan.js";
import type { CgroupService, OpenCgroups } from "../service.js";
import { bootTime, nodeSummary, readNodeUsage } from "./node.js";
import { type PassInput, readTree, type TreeUsage } from "./pass.js";
import { type MeasuredPod, type NodeStatistics, podStatistics, podsContainer, rfc3339Seconds } from "./summary.js";
import type { CgroupUsage } from "./usage.js";

/** Milliseconds: usage per second is taken over at least this time. */
const WINDOW = 5000;

/** Files that stay open from one reading to the next: that halves its cost. About 340 containers. */
const MAX_OPEN_FILES = 4096;

export interface Reading {
  readonly tree: TreeUsage;
  readonly node: CgroupUsage | undefined;
}

export class StatisticsReader {
  readonly #startedAt: number;
  readonly #files: ReturnType<NodeContext["host"]["kernel"]["reader"]>;
  #last: Reading | undefined;
  #before: Reading | undefined;

  constructor(
    private readonly ctx: NodeContext,
    private readonly service: CgroupService,
  ) {
    this.#startedAt = ctx.clock.now();
    this.#files = ctx.host.kernel.reader(MAX_OPEN_FILES);
  }

  /** The pods whose cgroups are read, with the containers that run. */
  measured(): MeasuredPod[] {
    const { pods } = this.ctx;
    return pods.active().map((pod) => ({
      pod,
      containers: [...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap(({ name }) => {
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
    const tree = readTree(this.#files, open.layout, inputOf(open.manager.rules, pods), now);
    const reading = { tree, node: readNodeUsage(this.#files, open.layout, now) };
    if (this.#last !== undefined && now - (this.#before?.tree.at ?? 0) >= WINDOW) this.#before = this.#last;
    this.#last = reading;
    return reading;
  }

  close(): void {
    this.#files.close();
  }

  /** The whole Summary. @throws Error when cgroups are not kept */
  async summary(): Promise<NodeStatistics> {
    const { open, why } = this.service;
    const measured = this.measured();
    const reading = this.read(measured);
    if (open === undefined || reading === undefined) throw new Error(`there are no statistics: ${why}`);
    const before = this.#before;
    const node = this.#node(open, reading, before);
    return {
      node: {
        ...node,
        systemContainers: podsContainer(reading.tree, before?.tree, this.#startedAt),
        ...(await this.#fileSystems()),
      },
      pods: podStatistics({ tree: reading.tree, before: before?.tree, pods: measured }),
    };
  }

  #node(open: OpenCgroups, { node: usage, tree }: Reading, before: Reading | undefined): NodeStatistics["node"] {
    const { node } = this.ctx;
    const input = {
      usage,
      before: before?.node,
      // Not the node's capacity: the usage beside it is the whole machine's.
      capacityBytes: machineMemory(open.files) ?? node.capacity().memory ?? 0,
      nodeName: node.name,
      startedAt: bootTime(open.files) ?? this.#startedAt,
    };
    return nodeSummary(open.files, input, tree.at, pidLimit(open.files));
  }

  async #fileSystems(): Promise<Pick<NodeStatistics["node"], "fs" | "runtime">> {
    try {
      const { node, image, container } = await this.ctx.runtime.fileSystems();
      return { fs: fsOf(node), runtime: { imageFs: fsOf(image), containerFs: fsOf(container) } };
    } catch (error) {
      this.ctx.log.warn(`statistics without file systems: ${errorText(error)}`);
      return {};
    }
  }
}

type FileSystem = Awaited<ReturnType<NodeContext["runtime"]["fileSystems"]>>["node"];

function fsOf({ at, capacityBytes, availableBytes, inodes, inodesFree, usedBytes, inodesUsed }: FileSystem) {
  const used = usedBytes ?? capacityBytes - availableBytes;
  const usedInodes = inodesUsed ?? (inodes !== undefined && inodesFree !== undefined ? inodes - inodesFree : undefined);
  return {
    time: rfc3339Seconds(at),
    availableBytes,
    capacityBytes,
    usedBytes: used,
    ...(inodesFree !== undefined && { inodesFree }),
    ...(inodes !== undefined && { inodes }),
    ...(usedInodes !== undefined && { inodesUsed: usedInodes }),
  };
}

function inputOf(rules: NodeRules, pods: readonly MeasuredPod[]): PassInput {
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
    // What CRI runtimes' systemd drivers make of an id.
    containerName: (id) => (driver === "systemd" ? `cri-containerd-${id}.scope` : id),
  };
}
