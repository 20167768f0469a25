/** One round of node-pressure eviction on nodes of up to 10 000 pods, against ranking as the kubelet does it; and a round with nothing to do. */
import type { Pod } from "@hooklet/core";
import { parseQuantity, quantityValue } from "@hooklet/core/rules";
import {
  EvictionManager,
  kubelet,
  type NodeStatistics,
  type PodStatistics,
  parseThresholdConfig,
  type RoundPorts,
} from "@hooklet/plugin-eviction";
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
}

async function round(count: number): Promise<Record<string, string>> {
  const pods = Array.from({ length: count }, (_, index) => podOf(index));
  const statistics = pods.map(statisticsOf);
  const evicted: string[] = [];
  const rounds = (node: NodeStatistics): EvictionManager =>
    new EvictionManager(
      {
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
      },
      ports(node, pods, statistics, evicted),
    );
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
    overBudget: () => undefined,
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

/** Requests are read anew in each comparison, as the kubelet's comparators do. */
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
