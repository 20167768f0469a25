import type { ResourceHints } from "@hooklet/core/subsystem";
import type { Adapter } from "../adapter.js";
import {
  hold,
  knownKeys,
  type Limits,
  managerOf,
  only,
  plug,
  podOf,
  type RawDevice,
  toDevices,
  worldOf,
} from "./devices.js";

interface Input {
  readonly numa_nodes: readonly number[];
  readonly pod_limits: { readonly init?: readonly Limits[]; readonly containers: readonly Limits[] };
  readonly devices: Readonly<Record<string, Readonly<Record<string, Omit<RawDevice, "id">>>>>;
  readonly allocated: readonly {
    readonly pod: string;
    readonly container: string;
    readonly resource: string;
    readonly devices: readonly string[];
  }[];
}

interface RawHint {
  readonly numa: readonly number[] | null;
  readonly preferred: boolean;
}

type Hints = Readonly<Record<string, readonly RawHint[] | null>>;
type Answer = Readonly<Partial<Record<"container_scope" | "pod_scope", Hints>>>;

export const adapter: Adapter<Input> = {
  keys: ["numa_nodes", "pod_limits", "devices", "allocated"],
  run({ numa_nodes, pod_limits, devices, allocated, ...rest }): Answer {
    knownKeys({ ...rest, ...pod_limits }, ["init", "containers"]);
    const manager = managerOf(worldOf({ machineNodes: numa_nodes, sourcesReady: false }));
    for (const [resource, own] of Object.entries(devices)) plug(manager, resource, toDevices(own));
    for (const { pod, container, resource, devices: ids } of allocated) hold(manager, pod, container, resource, ids);
    const names = (limits: readonly Limits[], first: string) =>
      limits.map((one, index) => ({ name: index === 0 ? first : `${first}${index}`, limits: one }));
    const pod = podOf(
      "fakePod",
      names(pod_limits.containers, "fakeContainer"),
      names(pod_limits.init ?? [], "fakeInit"),
    );
    const [first] = pod.spec.containers;
    if (first === undefined) throw new Error("the pod has no container");
    return { container_scope: shown(manager.containerHints(pod, first)), pod_scope: shown(manager.podHints(pod)) };
  },
  expected: (expected: Answer) =>
    Object.fromEntries(Object.entries(expected).map(([scope, hints]) => [scope, sortedHints(hints)])),
  part: only,
};

function shown(hints: ReadonlyMap<string, ResourceHints>): Hints {
  const raw = [...hints].map(([resource, list]) => [
    resource,
    list?.map(({ nodes = null, preferred }) => ({ numa: nodes, preferred })) ?? null,
  ]);
  return sortedHints(Object.fromEntries(raw) as Hints);
}

/** They compare as sets. */
function sortedHints(hints: Hints): Hints {
  const key = ({ numa, preferred }: RawHint): string => `${String(numa)} ${preferred}`;
  const sorted = Object.entries(hints).map(([resource, list]) => [
    resource,
    list === null ? null : [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1)),
  ]);
  return Object.fromEntries(sorted) as Hints;
}
