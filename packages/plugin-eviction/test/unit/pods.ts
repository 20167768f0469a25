/** Pods, statistics and rounds of the tests. */
import type { Pod } from "@hooklet/core";
import { parseQuantity, quantityValue } from "@hooklet/core/rules";
import { aPod, type PodParts } from "@hooklet/testkit";
import type { PodEviction } from "../../src/index.js";
import {
  type DiskLayout,
  EvictionManager,
  kubelet,
  type ManagerSettings,
  type NodeStatistics,
  type PodStatistics,
  parseThresholdConfig,
  type ReclaimFunction,
  type RoundPorts,
  type ThresholdSettings,
} from "../../src/internal.js";

export const CRITICAL = 2_000_000_000;
export const oneDisk: DiskLayout = { dedicatedImageFs: false, splitContainerImageFs: false };
export const dedicated: DiskLayout = { dedicatedImageFs: true, splitContainerImageFs: false };
export const split: DiskLayout = { dedicatedImageFs: true, splitContainerImageFs: true };

/** `1Gi` in bytes. */
export function bytes(text: string): number {
  return quantityValue(parseQuantity(text));
}

export function pod(name: string, requests: Record<string, string> = {}, parts: PodParts = {}): Pod {
  return aPod({ name, containers: [{ requests }], ...parts });
}

export function withPriority(priority: number): PodParts {
  return { spec: { priority } };
}

export function statisticsOf(
  { metadata, spec }: Pod,
  used: { readonly memory?: number; readonly disk?: number; readonly inodes?: number; readonly processes?: number },
): PodStatistics {
  const { uid, name, namespace } = metadata;
  const { memory = 0, disk = 0, inodes = 0, processes = 0 } = used;
  return {
    podRef: { uid, name, namespace },
    memory: { workingSetBytes: memory },
    containers: [
      {
        name: spec.containers[0]?.name ?? "",
        memory: { workingSetBytes: memory },
        rootfs: { usedBytes: disk, inodesUsed: inodes },
        logs: { usedBytes: 0, inodesUsed: 0 },
      },
    ],
    "ephemeral-storage": { usedBytes: disk },
    process_stats: { process_count: processes },
  };
}

export const noSettings: ThresholdSettings = {
  evictionHard: {},
  evictionSoft: {},
  evictionSoftGracePeriod: {},
  evictionMinimumReclaim: {},
  enforceNodeAllocatable: [],
};

/** A node of the tests: what it reports is set by hand, what happens to it is written down. */
export class FakeNode implements RoundPorts {
  now = 0;
  pods: readonly Pod[] = [];
  node: NodeStatistics = {};
  statisticsOfPods: readonly PodStatistics[] = [];
  failing: { layout?: boolean; statistics?: boolean; reclaim?: boolean; kill?: boolean } = {};
  readonly evicted: PodEviction[] = [];
  readonly reclaimed: ReclaimFunction[] = [];
  readonly events: string[] = [];
  readonly notes: string[] = [];
  /** What reclaiming does to the node. */
  onReclaim: (what: ReclaimFunction) => void = () => undefined;

  constructor(private readonly disks: DiskLayout = oneDisk) {}

  manager(thresholds: Partial<ThresholdSettings>, settings: Partial<ManagerSettings> = {}): EvictionManager {
    return new EvictionManager(
      {
        thresholds: parseThresholdConfig({ ...noSettings, ...thresholds }),
        localStorageCapacityIsolation: true,
        pressureTransitionPeriodSeconds: 300,
        maxPodGracePeriodSeconds: 0,
        dryRun: false,
        ranking: kubelet,
        rankingName: "kubelet",
        ...settings,
      },
      this,
    );
  }

  /** What a loop waits for first. */
  ready: () => Promise<void> = async () => undefined;

  monotonic(): number {
    return this.now;
  }

  activePods(): readonly Pod[] {
    return this.pods;
  }

  async layout(): Promise<DiskLayout> {
    if (this.failing.layout) throw new Error("no such device");
    return this.disks;
  }

  async statistics() {
    if (this.failing.statistics) throw new Error("statistics are late");
    return { node: this.node, pods: async () => this.statisticsOfPods };
  }

  async reclaim(what: ReclaimFunction): Promise<void> {
    this.reclaimed.push(what);
    this.onReclaim(what);
    if (this.failing.reclaim) throw new Error("the runtime is away");
  }

  async evict(eviction: PodEviction): Promise<void> {
    this.evicted.push(eviction);
    if (this.failing.kill) throw new Error("timeout waiting to kill pod");
    this.pods = this.pods.filter((one) => one !== eviction.pod);
  }

  observed(): void {}

  attempting(resource: string): void {
    this.events.push(resource);
  }

  /** Zombies that nothing reaps. */
  dead = 0;

  unreaped(): number {
    return this.dead;
  }

  rankedOn(): void {}

  note(text: string): void {
    this.notes.push(text);
  }

  strategyFailed(text: string): void {
    this.notes.push(text);
  }

  get names(): readonly string[] {
    return this.evicted.map((one) => one.pod.metadata.name);
  }
}

/** Statistics of a node whose memory is what matters. */
export function memory(available: string, capacity = "8Gi"): NodeStatistics {
  const left = bytes(available);
  return { memory: { availableBytes: left, workingSetBytes: bytes(capacity) - left } };
}

/** One disk for everything. */
export function disk(available: string, capacity = "100Gi"): NodeStatistics {
  const fs = { availableBytes: bytes(available), capacityBytes: bytes(capacity) };
  return { fs, runtime: { imageFs: fs, containerFs: fs } };
}
