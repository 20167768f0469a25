/** Free devices by how they lie to the NUMA nodes that the topology manager chose for the container. Pure. */
import type { Device } from "../device/types.js";

export interface ByAffinity {
  /** On one of the chosen nodes. */
  readonly aligned: readonly string[];
  readonly unaligned: readonly string[];
  /** Without topology; all of them when no nodes were chosen or no device of the resource has a place. */
  readonly noTopology: readonly string[];
}

/**
 * Splits `available`, keeping its order. `affinity`: the NUMA nodes chosen for the container, undefined when there was
 * no choice. `aligns`: whether any device of the resource has topology.
 */
export function filterByAffinity(
  available: readonly Pick<Device, "id" | "nodes">[],
  affinity: readonly number[] | undefined,
  aligns: boolean,
): ByAffinity {
  if (affinity === undefined || !aligns) {
    return { aligned: [], unaligned: [], noTopology: available.map(({ id }) => id) };
  }
  const chosen = new Set(affinity);
  const ids = (wanted: ReturnType<typeof placeOf>): readonly string[] =>
    available.filter(({ nodes }) => placeOf(nodes, chosen) === wanted).map(({ id }) => id);
  return { aligned: ids("aligned"), unaligned: ids("unaligned"), noTopology: ids("no-topology") };
}

/** How a device on these nodes lies to the chosen ones; undefined: none were chosen. */
export function placeOf(
  nodes: readonly number[],
  chosen: ReadonlySet<number> | undefined,
): "aligned" | "unaligned" | "no-topology" {
  if (chosen === undefined || nodes.length === 0) return "no-topology";
  return nodes.some((node) => chosen.has(node)) ? "aligned" : "unaligned";
}
