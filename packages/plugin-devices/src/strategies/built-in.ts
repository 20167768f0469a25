/** The strategies of option `allocation`. Pure. */

import type { StrategyTable } from "@hooklet/core";
import type { AllocationInput, AllocationStrategy, Candidate, Place, Question } from "./allocation.js";

// Free candidates by NUMA node, for strategies that choose nodes first.

/** Groups of equal rank, the first to be used up before the next: those on the chosen NUMA nodes come before all others. */
function ranks({ candidates, mustInclude }: AllocationInput): readonly (readonly Candidate[])[] {
  const kept = new Set(mustInclude);
  const left = candidates.filter(({ id }) => !kept.has(id));
  const aligned = left.filter(({ place }) => place === "aligned");
  const others = left.filter(({ place }) => place !== "aligned");
  return [aligned, others].filter(({ length }) => length > 0);
}

/** By the first node of each device, -1 without topology; ids keep their order. */
function byNode(candidates: readonly Candidate[]): Map<number, string[]> {
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
function countByNode({ candidates }: AllocationInput, ids: ReadonlySet<string>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const {
    id,
    nodes: [node = -1],
  } of candidates) {
    if (ids.has(id)) counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}

/**
 * The kubelet's: devices of the pod's init containers, then those on the chosen NUMA nodes, then the others; the device
 * plugin's preference decides where there is a choice, then natural order of ids.
 */
export const kubelet: AllocationStrategy = (input) => {
  const { size, mustInclude, preferred, candidates } = input;
  const chosen = new Set(mustInclude);
  const fill = (ids: readonly string[]): boolean => {
    for (const id of ids) {
      if (chosen.size >= size) break;
      chosen.add(id);
    }
    return chosen.size >= size;
  };
  if (fill([])) return [...chosen];
  const placed = (wanted: Place): readonly string[] =>
    candidates.flatMap(({ id, place }) => (place === wanted ? id : []));
  const aligned = input.affinity === undefined ? [] : placed("aligned");
  const enough = size - chosen.size < aligned.length;
  if (!enough && fill(aligned)) return [...chosen];

  const asks = input.canAsk && preferred === undefined;
  if (asks || (preferred !== undefined && preferred.length > 0)) {
    const choice = enough ? aligned : candidates.flatMap(({ id, place }) => (place === "reusable" ? [] : id));
    if (asks) return { ask: question(input, choice, [...chosen]) };
    const may = new Set(choice);
    if (fill((preferred ?? []).filter((id) => may.has(id)))) return [...chosen];
  }
  if (fill(aligned) || (input.affinity !== undefined && fill(placed("unaligned")))) return [...chosen];
  for (const { id, place } of candidates) {
    if (place === "no-topology" && fill([id])) break;
  }
  return [...chosen];
};

function question({ size }: AllocationInput, choice: readonly string[], chosen: readonly string[]): Question {
  return { available: [...new Set([...choice, ...chosen])], mustInclude: chosen, size };
}

/**
 * As few NUMA nodes as can be: first the nodes on which the container has devices already, then the fullest node that
 * holds all that is missing, so that large holes stay for large requests; where no single one does, the emptiest first.
 */
export const numaPacked: AllocationStrategy = (input) => {
  const { size, mustInclude } = input;
  const chosen = new Set(mustInclude);
  for (const rank of ranks(input)) {
    const nodes = byNode(rank);
    while (chosen.size < size && nodes.size > 0) {
      const has = countByNode(input, chosen);
      const missing = size - chosen.size;
      const [node, ids] = [...nodes].sort(([a, free], [b, other]) => {
        const own = (has.get(b) ?? 0) - (has.get(a) ?? 0);
        if (own !== 0) return own;
        const [fits, otherFits] = [free.length >= missing, other.length >= missing];
        if (fits !== otherFits) return fits ? -1 : 1;
        return (fits ? free.length - other.length : other.length - free.length) || a - b;
      })[0] as [number, string[]];
      for (const id of ids.slice(0, missing)) chosen.add(id);
      nodes.delete(node);
    }
  }
  return [...chosen];
};

/** Evenly over the NUMA nodes: each device from the node of which the container has fewest, of equals from the emptiest. */
export const spread: AllocationStrategy = (input) => {
  const { size, mustInclude } = input;
  const chosen = new Set(mustInclude);
  const has = countByNode(input, chosen);
  for (const rank of ranks(input)) {
    const nodes = [...byNode(rank)].map(([node, ids]) => ({ node, ids, next: 0 }));
    for (let missing = size - chosen.size; missing > 0; missing--) {
      let best: (typeof nodes)[number] | undefined;
      for (const one of nodes) {
        if (one.next >= one.ids.length) continue;
        if (best === undefined || before(one, best)) best = one;
      }
      if (best === undefined) break;
      chosen.add(best.ids[best.next++] as string);
      has.set(best.node, (has.get(best.node) ?? 0) + 1);
    }
  }
  return [...chosen];

  function before(a: NodeLeft, b: NodeLeft): boolean {
    const own = (has.get(a.node) ?? 0) - (has.get(b.node) ?? 0);
    if (own !== 0) return own < 0;
    const left = b.ids.length - b.next - (a.ids.length - a.next);
    return left !== 0 ? left < 0 : a.node < b.node;
  }
};

interface NodeLeft {
  readonly node: number;
  readonly ids: readonly string[];
  readonly next: number;
}

const entry = (description: string, strategy: AllocationStrategy): StrategyTable<AllocationStrategy>[string] => ({
  description,
  options: (z) => z.strictObject({}),
  create: () => strategy,
});

/** The strategies of option `allocation`; the first is the default. */
export const allocationStrategies: StrategyTable<AllocationStrategy> = {
  kubelet: entry(
    "The pod's reusable devices, then what the device plugin prefers, then by natural order of id",
    kubelet,
  ),
  "numa-packed": entry("From as few NUMA nodes as can be, the fullest that fits first", numaPacked),
  spread: entry("Evenly over the NUMA nodes", spread),
};
