/** The order of eviction, with the check of a strategy's answer. */
import { errorText } from "@hooklet/core";
import { kubelet } from "./strategies/kubelet.js";
import type { Ranked, RankingInput, RankingStrategy } from "./strategy.js";
import type { EvictionCandidate } from "./usage/candidate.js";

export interface Ranking {
  /** First to go first. */
  readonly order: readonly EvictionCandidate[];
  /** The strategy's own words, by uid. */
  readonly words: ReadonlyMap<string, string>;
  /** What is wrong with the strategy's answer, so that the kubelet's order was taken. */
  readonly failure?: string;
}

export function rank(input: RankingInput, strategy: RankingStrategy, strategyName: string): Ranking {
  const instead = (what: string): Ranking => ({
    order: inOrder(kubelet(input), input.candidates) as readonly EvictionCandidate[],
    words: new Map(),
    failure: `ranking strategy "${strategyName}" ${what}; the kubelet's order is used. Mend it, or choose another one for "ranking".`,
  });
  try {
    // A list of its own, to sort as it likes; what the answer is checked against is frozen.
    const answer: unknown = strategy({ ...input, candidates: [...input.candidates] });
    const order = inOrder(answer, input.candidates);
    if (typeof order === "string") return instead(order);
    const words = (answer as readonly Ranked[]).flatMap(({ uid, why }) =>
      typeof why === "string" ? [[uid, why] as const] : [],
    );
    return { order, words: new Map(words) };
  } catch (error) {
    return instead(`failed: ${errorText(error)}`);
  }
}

/** The candidates in the order of an answer, or what is wrong with it. */
function inOrder(answer: unknown, candidates: readonly EvictionCandidate[]): readonly EvictionCandidate[] | string {
  if (!Array.isArray(answer)) return `returned ${answer === null ? "null" : typeof answer}, expected an array of pods`;
  const byUid = new Map(candidates.map((candidate) => [candidate.uid, candidate]));
  const order: EvictionCandidate[] = [];
  for (const one of answer as readonly unknown[]) {
    const { uid } = (typeof one === "object" && one !== null ? one : {}) as { uid?: unknown };
    const candidate = typeof uid === "string" ? byUid.get(uid) : undefined;
    if (candidate === undefined) {
      const known = candidates.some((other) => other.uid === uid);
      return known
        ? `named pod ${JSON.stringify(uid)} twice`
        : `named ${JSON.stringify(uid) ?? "a pod without uid"}, which may not go`;
    }
    byUid.delete(candidate.uid);
    order.push(candidate);
  }
  const [missing] = byUid.values();
  return missing === undefined ? order : `left out pod ${missing.name}`;
}
