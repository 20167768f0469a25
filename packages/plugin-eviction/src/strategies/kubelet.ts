import type { RankingInput, RankingStrategy } from "../strategy.js";
import type { EvictionCandidate } from "../usage/candidate.js";

type Compare = (a: EvictionCandidate, b: EvictionCandidate) => number;

/** Pods without statistics first, then those over their request, then the rest. */
const byRequest: Compare = (a, b) => tier(a) - tier(b);
const byPriority: Compare = (a, b) => a.priority - b.priority;
/** Pods without statistics first, then the furthest over its request. */
const byExcess: Compare = (a, b) => Number(a.known) - Number(b.known) || b.excess - a.excess;

function tier({ known, usage, request }: EvictionCandidate): number {
  if (!known) return 0;
  return usage > request ? 1 : 2;
}

/** The kubelet's comparators; for processes there are no requests to be over. Pods that are equal keep their order. */
export function kubeletOrder({ resource, candidates }: RankingInput): readonly EvictionCandidate[] {
  const comparators = resource === "pids" ? [byPriority, byExcess] : [byRequest, byPriority, byExcess];
  return sorted(candidates, comparators);
}

export const kubelet: RankingStrategy = kubeletOrder;

function sorted(
  candidates: readonly EvictionCandidate[],
  comparators: readonly Compare[],
): readonly EvictionCandidate[] {
  return [...candidates].sort((a, b) => {
    for (const compare of comparators) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  });
}
