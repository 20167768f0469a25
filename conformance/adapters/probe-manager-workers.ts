import type { Pod } from "@hooklet/core";
import type { ProbeKind } from "@hooklet/plugin-probe";
import { ProbedPods, stopLivenessAndStartup } from "@hooklet/plugin-probe/internal";
import type { Adapter } from "../adapter.js";
import { onlyKnown } from "../known-keys.js";
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

type Operation =
  | string
  | {
      readonly add?: RawPod;
      readonly remove?: string;
      readonly cleanup_keep?: readonly string[];
      readonly worker_gone?: readonly [uid: string, container: string, kind: ProbeKind];
      readonly stop_liveness_and_startup?: string;
    };

const OPERATIONS = ["add", "remove", "cleanup_keep", "worker_gone", "stop_liveness_and_startup"];

export const adapter: Adapter<{ readonly ops: readonly Operation[] }> = {
  keys: ["ops"],
  run({ ops }) {
    const pods = new ProbedPods<readonly string[]>({
      make: ({ metadata }, { container, spec }) => [metadata.uid, container.name, spec.kind],
      gone: () => {},
    });
    const known = new Map<string, Pod>();
    for (const operation of ops) perform(pods, known, operation);
    return { workers: [...pods.all()].sort() };
  },
  expected: ({ workers }: { readonly workers: readonly (readonly string[])[] }) => ({ workers: [...workers].sort() }),
};

function perform(pods: ProbedPods<readonly string[]>, known: Map<string, Pod>, operation: Operation): void {
  if (typeof operation !== "string") {
    onlyKnown(operation, OPERATIONS, "operation");
    const { add, remove, cleanup_keep: keep, worker_gone: gone, stop_liveness_and_startup: stopping } = operation;
    if (add !== undefined) {
      known.set(add.uid, podOf(add));
      pods.add(podOf(add));
    }
    if (remove !== undefined) pods.remove(remove);
    if (keep !== undefined) removeOthers(pods, new Set(keep));
    if (gone !== undefined) pods.end(...gone);
    const pod = stopping === undefined ? undefined : known.get(stopping);
    if (pod !== undefined) stopLivenessAndStartup(pods, pod);
    return;
  }
  const count = Number(/^add (\d+) pods with all three probes$/.exec(operation)?.[1] ?? 0);
  const times = Number(/^cleanup of everything, (\d+) times$/.exec(operation)?.[1] ?? 0);
  if (count + times === 0) throw new Error(`unknown operation: ${operation}`);
  for (let i = 0; i < count; i++) {
    pods.add(podOf({ uid: `pod-${i}`, containers: [{ name: "main", probes: ["liveness", "readiness", "startup"] }] }));
  }
  for (let i = 0; i < times; i++) removeOthers(pods, new Set());
}

/** As the prober does with what the node has no more. */
function removeOthers(pods: ProbedPods<readonly string[]>, wanted: ReadonlySet<string>): void {
  for (const [uid = ""] of [...pods.all()]) if (!wanted.has(uid)) pods.remove(uid);
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
