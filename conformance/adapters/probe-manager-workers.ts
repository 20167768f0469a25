import type { Pod } from "@hooklet/core";
import { ProbedPods, type ProbeKind } from "@hooklet/plugin-probe";
import type { Adapter } from "../adapter.js";
import { toPod } from "./pods.js";

interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly probes: readonly ProbeKind[];
}

interface RawPod {
  readonly uid: string;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}

type Operation = string | { readonly add?: RawPod; readonly remove?: string; readonly cleanup?: readonly string[] };

export const adapter: Adapter<{ readonly ops: readonly Operation[] }> = {
  run({ ops }) {
    const pods = new ProbedPods<readonly string[]>({
      make: ({ metadata }, { container, spec }) => [metadata.uid, container.name, spec.kind],
      gone: () => {},
    });
    for (const operation of ops) perform(pods, operation);
    return { workers: [...pods.all()].sort() };
  },
  expected: ({ workers }: { readonly workers: readonly (readonly string[])[] }) => ({ workers: [...workers].sort() }),
};

function perform(pods: ProbedPods<unknown>, operation: Operation): void {
  if (typeof operation !== "string") {
    if (operation.add) pods.add(podOf(operation.add));
    if (operation.remove !== undefined) pods.remove(operation.remove);
    if (operation.cleanup) pods.cleanup(new Set(operation.cleanup));
    return;
  }
  const count = Number(/^add (\d+) pods with all three probes$/.exec(operation)?.[1] ?? 0);
  const times = Number(/^cleanup of everything, (\d+) times$/.exec(operation)?.[1] ?? 0);
  if (count + times === 0) throw new Error(`unknown operation: ${operation}`);
  for (let i = 0; i < count; i++) {
    pods.add(podOf({ uid: `pod-${i}`, containers: [{ name: "main", probes: ["liveness", "readiness", "startup"] }] }));
  }
  for (let i = 0; i < times; i++) pods.cleanup(new Set());
}

function podOf({ uid, containers, initContainers = [] }: RawPod): Pod {
  const container = ({ name, restartPolicy, probes }: Container) => ({
    name,
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
    ...Object.fromEntries(probes.map((kind) => [`${kind}Probe`, { tcpSocket: { port: 1 } }])),
  });
  const spec = { containers: containers.map(container), initContainers: initContainers.map(container) };
  return toPod({ metadata: { uid, name: uid, namespace: "default" }, spec });
}
