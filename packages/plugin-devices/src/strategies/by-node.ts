/** Free candidates by NUMA node, for strategies that choose nodes first. Pure. */
import type { AllocationInput, Candidate } from "./strategy.js";

/** Groups of equal rank, the first to be used up before the next: those on the chosen NUMA nodes come before all others. */
export function ranks({ candidates, mustInclude }: AllocationInput): readonly (readonly Candidate[])[] {
  const kept = new Set(mustInclude);
  const left = candidates.filter(({ id }) => !kept.has(id));
  const aligned = left.filter(({ place }) => place === "aligned");
  const others = left.filter(({ place }) => place !== "aligned");
  return [aligned, others].filter(({ length }) => length > 0);
}

/** By the first node of each device, -1 without topology; ids keep their order. */
export function byNode(candidates: readonly Candidate[]): Map<number, string[]> {
  const nodes = new Map<number, string[]>();
  for (const {
    id,
    nodes: [node = -1],
  } of candidates) {
    const here = nodes.get(node);
    if (here === undefined) nodes.set(node, [id]);
    else here.push(id);
  }
  return nodes;
}

/** How many of `ids` lie on each node. */
export function countByNode({ candidates }: AllocationInput, ids: ReadonlySet<string>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const {
    id,
    nodes: [node = -1],
  } of candidates) {
    if (ids.has(id)) counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}
