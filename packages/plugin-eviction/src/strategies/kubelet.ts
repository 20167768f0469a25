/** Pure. */
import type { RankingInput, RankingStrategy } from "../strategy.js";
import type { EvictionCandidate } from "../usage/candidate.js";

/** Pods without statistics first, then those over their request, then the rest. */
function tier({ known, usage, request }: EvictionCandidate): number {
  if (!known) return 0;
  return usage > request ? 1 : 2;
}

/** Lower priority first; then pods without statistics, then the furthest over its request. */
function byPriority(a: EvictionCandidate, b: EvictionCandidate): number {
  return a.priority - b.priority || Number(a.known) - Number(b.known) || b.excess - a.excess;
}

/** The kubelet's comparators; for processes there are no requests to be over. Pods that are equal keep their order. */
export function kubeletOrder({ resource, candidates }: RankingInput): readonly EvictionCandidate[] {
  if (resource === "pids") return [...candidates].sort(byPriority);
  const tiers: [EvictionCandidate[], EvictionCandidate[], EvictionCandidate[]] = [[], [], []];
  for (const candidate of candidates) tiers[tier(candidate)]?.push(candidate);
  return tiers.flatMap((one) => one.sort(byPriority));
}

export const kubelet: RankingStrategy = kubeletOrder;
