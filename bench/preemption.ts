/** Victim selection on nodes of up to 1 000 pods, and what one admission check costs. */

import type { NodeFacts, Pod } from "@hooklet/core";
import { accountOf, admitPod, RunningAccount } from "@hooklet/core/rules";
import { candidatesFor, inOrder, kubelet, selectVictims } from "@hooklet/plugin-preemption/internal";
import { Bench } from "tinybench";

export const title = "preemption: choice of victims; admission check per pod";

const GIB = 1024 ** 3;
const preemptor = podOf(-1, { cpu: "1", memory: "1Gi" }, { priority: 2_000_000_000 });

export async function run(): Promise<void> {
  const rows: Record<string, string>[] = [];
  for (const count of [110, 1_000]) {
    rows.push(
      await selection(count, "few shapes", (i) => ({
        cpu: `${100 * (1 + (i % 4))}m`,
        memory: `${64 * (1 + (i % 3))}Mi`,
      })),
    );
    rows.push(
      await selection(count, "all different", (i) => ({
        cpu: `${1 + (scatter(i) % 997)}m`,
        memory: `${(1 + scatter(i * 7)) * 1024}`,
      })),
    );
  }
  console.table(rows);
  console.table([await admission(110), await admission(1_000)]);
}

/** Half of all that the pods hold is required: hundreds of picks on the great node. */
async function selection(
  count: number,
  shapes: string,
  requests: (index: number) => Record<string, string>,
): Promise<Record<string, string>> {
  const pods = inOrder(Array.from({ length: count }, (_, index) => podOf(index, requests(index), {})));
  const total = (resource: string): number =>
    candidatesFor(preemptor, pods, [{ resource, quantity: 1 }]).reduce(
      (sum, { requests: own }) => sum + (own[resource] ?? 0),
      0,
    );
  const requirements = ["cpu", "memory", "pods"].map((resource) => ({
    resource,
    quantity: Math.floor(total(resource) / 2),
  }));
  const input = { preemptor, pods, requirements, strategy: kubelet, strategyName: "kubelet", now: 0 };
  const bench = new Bench({ time: 300, iterations: 3, warmup: false });
  bench.add("select", () => void selectVictims(input));
  await bench.run();
  const [select] = bench.tasks.map((task) => (task.result as { latency: { p50: number } }).latency.p50);
  return {
    pods: String(count),
    shapes,
    victims: String(selectVictims(input).victims.length),
    "select ms": (select ?? 0).toFixed(2),
  };
}

/** A check as it runs at each admission: the account of the others is kept from one to the next. */
async function admission(count: number): Promise<Record<string, string>> {
  const pods = Array.from({ length: count }, (_, index) => podOf(index, { cpu: "10m", memory: "16Mi" }, {}));
  const node: NodeFacts = {
    name: "n1",
    labels: {},
    taints: [],
    os: "linux",
    allocatable: { cpu: 64_000, memory: 256 * GIB, pods: 2_000 },
  };
  const pod = podOf(count, { cpu: "100m", memory: "64Mi" }, {});
  const account = new RunningAccount();
  const bench = new Bench({ time: 300 });
  bench.add("running account", () => void admitPod(pod, node, account.update(pods)));
  bench.add("added up again", () => void admitPod(pod, node, accountOf(pods)));
  await bench.run();
  const [kept, anew] = bench.tasks.map((task) => (task.result as { latency: { mean: number } }).latency.mean);
  return {
    "pods on the node": String(count),
    "check ms": (kept ?? 0).toFixed(4),
    "added up again ms": (anew ?? 0).toFixed(4),
  };
}

function podOf(index: number, requests: Record<string, string>, spec: Partial<Pod["spec"]>): Pod {
  return {
    metadata: { name: `p${index}`, namespace: "default", uid: String(index) },
    spec: { ...spec, containers: [{ name: "main", image: "app:1", resources: { requests } }] },
    // As the agent has every pod that it knows.
    status: { qosClass: "Burstable" },
  };
}

/** Spreads neighbours over 16 bits, the same on every machine. */
function scatter(index: number): number {
  return ((index + 1) * 2_654_435_761) % 65_536;
}
