/** What core's own predicates cost per arriving pod, against adding up the whole node from its manifests each time. */

import type { NodeFacts, Pod } from "@hooklet/core";
import { addList, admitPod, podRequestList, RunningAccount, toResources } from "@hooklet/core/rules";
import { Bench } from "tinybench";

export const title = "admission check per pod, by pods on the node";

const SIZES = [10, 110, 1_000, 10_000];

const node: NodeFacts = {
  name: "worker-1",
  labels: { "kubernetes.io/os": "linux", zone: "a" },
  taints: [{ key: "dedicated", value: "batch", effect: "NoExecute" }],
  allocatable: {
    cpu: 10_000_000,
    memory: 2 ** 50,
    "ephemeral-storage": 2 ** 50,
    pods: 20_000,
    "vendor.example/gpu": 8,
  },
  os: "linux",
};

export async function run(): Promise<void> {
  const rows: Record<string, string>[] = [];
  for (const size of SIZES) rows.push(await measure(size));
  console.table(rows);
}

async function measure(size: number): Promise<Record<string, string>> {
  const pods = Array.from({ length: size }, (_, i) => aPod(i));
  const arriving = aPod(size);
  const account = new RunningAccount();
  const bench = new Bench({ time: 300, warmupTime: 100 });
  bench.add("same pods", () => admitPod(arriving, node, account.update(pods)));
  const rest = pods.slice(1);
  let turn = false;
  bench.add("first pod gone", () => {
    turn = !turn;
    admitPod(arriving, node, account.update(turn ? rest : pods));
  });
  bench.add("naive", () => naive(arriving, pods));
  await bench.run();
  const [same, whole, bare] = bench.tasks.map(({ result }) =>
    result && "latency" in result ? result.latency.mean : Number.NaN,
  );
  return {
    pods: String(size),
    "same pods (ms)": milliseconds(same),
    "one pod gone (ms)": milliseconds(whole),
    "naive sum (ms)": milliseconds(bare),
    "naive / hooklet": ((bare ?? Number.NaN) / (same ?? Number.NaN)).toFixed(0),
  };
}

/** The plain way: read every manifest's quantities, add, compare. */
function naive(arriving: Pod, pods: readonly Pod[]): boolean {
  const sum = podRequestList(arriving);
  for (const pod of pods) addList(sum, podRequestList(pod));
  return Object.entries(toResources(sum)).every(([resource, used]) => used <= (node.allocatable[resource] ?? 0));
}

function milliseconds(mean: number | undefined): string {
  return (mean ?? Number.NaN).toFixed(4);
}

function aPod(i: number): Pod {
  const requests = { cpu: `${10 + (i % 90)}m`, memory: `${16 + (i % 64)}Mi` };
  const container = { name: "main", image: "host", resources: { requests, limits: { memory: "1Gi" } } };
  return {
    metadata: { name: `pod-${i}`, namespace: "default", uid: `uid-${i}` },
    spec: {
      containers: [{ ...container, ports: [{ containerPort: 80, ...(i % 10 === 0 ? { hostPort: 20_000 + i } : {}) }] }],
      initContainers: [{ ...container, name: "setup" }],
      nodeSelector: { zone: "a" },
      tolerations: [{ key: "dedicated", operator: "Exists" }],
    },
  };
}
