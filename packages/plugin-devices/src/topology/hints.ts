/** NUMA hints of the devices of one resource (pkg/kubelet/cm/devicemanager topology_hints). Pure. */
import type { ResourceHints, TopologyHint } from "@hooklet/core/subsystem";
import type { Device } from "../device/device.js";
import { hasTopology, type ResourceDevices } from "../device/inventory.js";
import { maskOf, nodesOf, sizeOf, subsets } from "./merge.js";

export interface HintInput {
  /** All NUMA nodes of the machine, ascending. */
  readonly machineNodes: readonly number[];
  /** All devices of the resource, also unhealthy and used ones. */
  readonly devices: ReadonlyMap<string, Device>;
  /** Free and healthy. */
  readonly available: readonly string[];
  readonly reusable: readonly string[];
  readonly request: number;
}

export interface ResourceRequest {
  readonly machineNodes: readonly number[];
  readonly known: ResourceDevices | undefined;
  readonly taken: (id: string) => boolean;
  /** What the container (pod scope: the pod) has already. */
  readonly had: readonly string[];
  readonly reusable: readonly string[];
  readonly request: number;
}

/** The hints of one device resource of a container, or of a whole pod. */
export function resourceHints({ machineNodes, known, taken, had, reusable, request }: ResourceRequest): ResourceHints {
  if (known === undefined || !hasTopology(known.devices)) return null;
  const input = { machineNodes, devices: known.byId, request };
  if (had.length > 0) {
    return had.length === request ? deviceHints({ ...input, available: had, reusable: [] }) : [];
  }
  const available = [...known.healthy].filter((id) => !taken(id));
  if (new Set([...available, ...reusable]).size < request) return [];
  return deviceHints({ ...input, available, reusable });
}

/**
 * For every set of those NUMA nodes that hold devices of the resource (of all nodes when none is known) which holds
 * enough: a hint, preferred when no smaller set could ever hold enough.
 */
function deviceHints({ machineNodes, devices, available, reusable, request }: HintInput): readonly TopologyHint[] {
  const homes = new Set([...devices.values()].flatMap(({ nodes }) => nodes));
  const known = machineNodes.filter((node) => homes.has(node));
  const nodes = known.length > 0 ? known : machineNodes;

  const counts = new Map<number, Counts>();
  const count = (id: string, kind: keyof Counts): void => {
    const place = devices.get(id)?.nodes ?? [];
    if (place.length === 0) return;
    const mask = maskOf(place, nodes);
    const here = counts.get(mask) ?? { known: 0, available: 0, reusable: 0 };
    here[kind]++;
    counts.set(mask, here);
  };
  for (const id of devices.keys()) count(id, "known");
  for (const id of available) count(id, "available");
  for (const id of reusable) count(id, "reusable");
  const places = [...counts];

  let smallest = nodes.length;
  const hints: { mask: number; size: number }[] = [];
  for (const mask of subsets(nodes.length)) {
    const inside = places.filter(([place]) => (place & mask) !== 0).map(([, one]) => one);
    const sum = (kind: keyof Counts): number => inside.reduce((total, one) => total + one[kind], 0);
    const size = sizeOf(mask);
    if (sum("known") >= request) smallest = Math.min(smallest, size);
    if (places.some(([place, { reusable: own }]) => own > 0 && (place & mask) === 0)) continue;
    if (sum("available") + sum("reusable") >= request) hints.push({ mask, size });
  }
  return hints.map(({ mask, size }) => ({ nodes: nodesOf(mask, nodes), preferred: size === smallest }));
}

interface Counts {
  known: number;
  available: number;
  reusable: number;
}
