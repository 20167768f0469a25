/** One round of node-pressure eviction on nodes of up to 10 000 pods, against ranking as the kubelet does it; and a round with nothing to do. */
import type { Pod } from "@hooklet/core";
import { parseQuantity, quantityValue, readCgroupLayout } from "@hooklet/core/rules";
import { nodeHost } from "@hooklet/linux";
import {
  EvictionManager,
  kubelet,
  MONITORING_INTERVAL_SECONDS,
  type NodeStatistics,
  observationsOf,
  type PodStatistics,
  parseThresholdConfig,
  type RoundPorts,
  unwatched,
  watchMemory,
} from "@hooklet/plugin-eviction/internal";
import { nodeMemory } from "@hooklet/plugin-stats/internal";
import { systemClock } from "@hooklet/utils";
import { Bench } from "tinybench";

export const title =
  "eviction: a round that evicts, a round with nothing to do, and the kubelet's comparators as written there";

const GIB = 1024 ** 3;
const fs = { availableBytes: 50 * GIB, capacityBytes: 100 * GIB, inodes: 1e6, inodesFree: 5e5 };
const calm: NodeStatistics = {
  memory: { availableBytes: 4 * GIB, workingSetBytes: 4 * GIB },
  fs,
  runtime: { imageFs: fs, containerFs: fs },
  rlimit: { maxpid: 32_768, curproc: 1_000 },
};
const short: NodeStatistics = { ...calm, memory: { availableBytes: 1_000, workingSetBytes: 8 * GIB } };

export async function run(): Promise<void> {
  const rows: Record<string, string>[] = [];
  for (const count of [10, 110, 1_000, 10_000]) rows.push(await round(count));
  console.table(rows);
  console.table(await idleCost(110));
}

/** What the loop and the watch cost a node on which nothing happens: the machine's own files are read. */
async function idleCost(count: number): Promise<Record<string, string>[]> {
  const { kernel, statfs } = nodeHost(systemClock);
  const files = kernel.reader(16);
  const layout = readCgroupLayout(kernel.read("/proc/self/mountinfo") ?? "");
  const memory = (): NodeStatistics =>
    layout === undefined ? {} : nodeMemory(files, layout, undefined, systemClock.now());
  const pods = Array.from({ length: count }, (_, index) => podOf(index));
  const manager = managerOf({
    ...ports(calm, pods, [], []),
    statistics: async () => {
      const { availableBytes, capacityBytes } = await statfs("/");
      return { node: { ...memory(), fs: { availableBytes, capacityBytes } }, pods: async () => [] };
    },
  });
  await manager.synchronize();
  const look = (): void => {
    const observations = observationsOf(memory());
    watchMemory(unwatched, manager.state.thresholds, observations, systemClock.monotonic());
  };
  const round = await processorMilliseconds(() => manager.synchronize());
  const watch = await processorMilliseconds(async () => look());
  files.close();
  const row = (what: string, milliseconds: number, everySeconds: number): Record<string, string> => ({
    [`nothing to do, ${count} pods`]: what,
    "processor ms": milliseconds.toFixed(3),
    cores: (milliseconds / 1000 / everySeconds).toFixed(5),
  });
  return [
    row(`a round every ${MONITORING_INTERVAL_SECONDS} s`, round, MONITORING_INTERVAL_SECONDS),
    row("watch, far from its thresholds: every 1 s", watch, 1),
    row("watch: 100ms, close to them", watch, 0.1),
  ];
}

/** Processor time of one call, user and system. */
async function processorMilliseconds(call: () => Promise<unknown>): Promise<number> {
  const calls = 300;
  for (let warm = 0; warm < 50; warm++) await call();
  const before = process.cpuUsage();
  for (let one = 0; one < calls; one++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

async function round(count: number): Promise<Record<string, string>> {
  const pods = Array.from({ length: count }, (_, index) => podOf(index));
  const statistics = pods.map(statisticsOf);
  const evicted: string[] = [];
  const rounds = (node: NodeStatistics): EvictionManager => managerOf(ports(node, pods, statistics, evicted));
  const [evicting, idle] = [rounds(short), rounds(calm)];
  await evicting.synchronize();
  const [first] = naive(pods, statistics);
  if (evicted[0] !== first?.metadata.uid) throw new Error("the victims differ");
  const bench = new Bench({ time: 300, iterations: 5, warmup: true, warmupIterations: 3 });
  bench
    .add("evicting", async () => void (await evicting.synchronize()))
    .add("idle", async () => void (await idle.synchronize()))
    .add("naive", () => void naive(pods, statistics));
  await bench.run();
  const [busy, nothing, loop] = bench.tasks.map((task) => (task.result as { latency: { p50: number } }).latency.p50);
  return {
    pods: String(count),
    "evicting ms": (busy ?? 0).toFixed(2),
    "nothing to do ms": (nothing ?? 0).toFixed(3),
    "kubelet's comparators ms": (loop ?? 0).toFixed(2),
  };
}

function managerOf(given: RoundPorts): EvictionManager {
  const settings = {
    thresholds: parseThresholdConfig({
      evictionHard: { "memory.available": "100Mi", "nodefs.available": "10%", "imagefs.available": "15%" },
      evictionSoft: {},
      evictionSoftGracePeriod: {},
      evictionMinimumReclaim: {},
      enforceNodeAllocatable: ["pods"],
    }),
    localStorageCapacityIsolation: true,
    pressureTransitionPeriodSeconds: 300,
    maxPodGracePeriodSeconds: 0,
    dryRun: false,
    ranking: kubelet,
    rankingName: "kubelet",
  };
  return new EvictionManager(settings, given);
}

function ports(
  node: NodeStatistics,
  pods: readonly Pod[],
  statistics: readonly PodStatistics[],
  evicted: string[],
): RoundPorts {
  return {
    monotonic: () => 0,
    activePods: () => pods,
    layout: async () => ({ dedicatedImageFs: false, splitContainerImageFs: false }),
    statistics: async () => ({ node, pods: async () => statistics }),
    reclaim: async () => undefined,
    rankedOn: () => undefined,
    unreaped: () => 0,
    evict: async ({ pod }) => void evicted.push(pod.metadata.uid),
    observed: () => undefined,
    attempting: () => undefined,
    note: (text) => {
      throw new Error(text);
    },
    strategyFailed: (text) => {
      throw new Error(text);
    },
  };
}

/** Requests are read again in each comparison, as the kubelet's comparators do. */
function naive(pods: readonly Pod[], all: readonly PodStatistics[]): readonly Pod[] {
  const byUid = new Map(all.map((one) => [one.podRef.uid, one]));
  const usage = ({ metadata }: Pod): number => byUid.get(metadata.uid)?.memory?.workingSetBytes ?? 0;
  const request = ({ spec }: Pod): number =>
    spec.containers.reduce(
      (sum, { resources }) => sum + quantityValue(parseQuantity(String(resources?.requests?.memory ?? "0"))),
      0,
    );
  return [...pods].sort(
    (a, b) =>
      Number(usage(b) > request(b)) - Number(usage(a) > request(a)) ||
      (a.spec.priority ?? 0) - (b.spec.priority ?? 0) ||
      usage(b) - request(b) - (usage(a) - request(a)),
  );
}

function podOf(index: number): Pod {
  const requests = { memory: `${64 + (scatter(index) % 512)}Mi` };
  const limits = index % 4 === 0 ? { "ephemeral-storage": "10Gi" } : {};
  return {
    metadata: { name: `p${index}`, namespace: "default", uid: `uid-${index}` },
    spec: { containers: [{ name: "main", resources: { requests, limits } }], priority: scatter(index * 3) % 5 },
  };
}

function statisticsOf({ metadata }: Pod, index: number): PodStatistics {
  const { name, namespace, uid } = metadata;
  const used = (scatter(index * 7) % 512) * 1024 * 1024 + index;
  return {
    podRef: { name, namespace, uid },
    memory: { workingSetBytes: used },
    containers: [
      { name: "main", memory: { workingSetBytes: used }, rootfs: { usedBytes: used }, logs: { usedBytes: 0 } },
    ],
    "ephemeral-storage": { usedBytes: used },
  };
}

/** Numbers without order that are the same in each run. */
function scatter(index: number): number {
  return (index * 2_654_435_761) % 1_000_003;
}
