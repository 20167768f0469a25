/** Victim selection on nodes of up to 10 000 pods, against the kubelet's own loop; and what one admission check costs. */

import type { NodeFacts, Pod } from "@hooklet/core";
import { accountOf, admitPod, RunningAccount } from "@hooklet/core/rules";
import {
  type Candidate,
  candidatesFor,
  inOrder,
  kubelet,
  type Requirement,
  selectVictims,
  subtract,
} from "@hooklet/plugin-preemption";
import { Bench } from "tinybench";

export const title = "preemption: choice of victims against the kubelet's quadratic pick; admission check per pod";

const GIB = 1024 ** 3;
const preemptor = podOf(-1, { cpu: "1", memory: "1Gi" }, { priority: 2_000_000_000 });

export async function run(): Promise<void> {
  const rows: Record<string, string>[] = [];
  for (const count of [110, 1_000, 10_000]) {
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

/** Half of all that the pods hold is required: thousands of picks on the great nodes. */
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
  const candidates = candidatesFor(preemptor, pods, requirements);
  const [ours, theirs] = [selectVictims(input).victims, naive(candidates, requirements)];
  if (ours.map(({ uid }) => uid).join() !== theirs.map(({ uid }) => uid).join()) throw new Error("the picks differ");
  const bench = new Bench({ time: 300, iterations: 3, warmup: false });
  bench.add("select", () => void selectVictims(input)).add("naive", () => void naive(candidates, requirements));
  await bench.run();
  const [select, loop] = bench.tasks.map((task) => (task.result as { latency: { p50: number } }).latency.p50);
  return {
    pods: String(count),
    shapes,
    victims: String(ours.length),
    "select ms": (select ?? 0).toFixed(2),
    "kubelet's loop ms": (loop ?? 0).toFixed(2),
  };
}

/** The kubelet's pick as it is written there, for pods of one class. */
function naive(candidates: readonly Candidate[], requirements: readonly Requirement[]): readonly Candidate[] {
  const list = [...candidates];
  const picked: Candidate[] = [];
  for (let left = requirements; left.length > 0; ) {
    let best = 0;
    let bestDistance = left.length + 1;
    for (const [index, { requests }] of list.entries()) {
      let distance = 0;
      for (const { resource, quantity } of left) {
        const missing = quantity - (requests[resource] ?? 0);
        if (missing > 0) distance += (missing / quantity) * (missing / quantity);
      }
      if (distance < bestDistance || (distance === bestDistance && smaller(requests, list[best]?.requests ?? {}))) {
        [best, bestDistance] = [index, distance];
      }
    }
    const chosen = list[best] as Candidate;
    picked.push(chosen);
    left = subtract(left, [chosen]);
    const last = list.pop() as Candidate;
    if (best < list.length) list[best] = last;
  }
  return picked;
}

function smaller(a: Candidate["requests"], b: Candidate["requests"]): boolean {
  const [memoryA = 0, memoryB = 0, cpuA = 0, cpuB = 0] = [a.memory, b.memory, a.cpu, b.cpu];
  return memoryA === memoryB ? cpuA <= cpuB : memoryA < memoryB;
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
  bench.add("added up anew", () => void admitPod(pod, node, accountOf(pods)));
  await bench.run();
  const [kept, anew] = bench.tasks.map((task) => (task.result as { latency: { mean: number } }).latency.mean);
  return {
    "pods on the node": String(count),
    "check ms": (kept ?? 0).toFixed(4),
    "added up anew ms": (anew ?? 0).toFixed(4),
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
