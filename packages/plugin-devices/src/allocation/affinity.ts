/** How a free device lies to the NUMA nodes that the topology manager chose for the container. Pure. */

/** How a device on these nodes lies to the chosen ones; without topology when none were chosen. */
export function placeOf(
  nodes: readonly number[],
  chosen: ReadonlySet<number> | undefined,
): "aligned" | "unaligned" | "no-topology" {
  if (chosen === undefined || nodes.length === 0) return "no-topology";
  return nodes.some((node) => chosen.has(node)) ? "aligned" : "unaligned";
}
