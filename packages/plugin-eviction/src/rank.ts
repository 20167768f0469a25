/** The order of eviction, with the check of a strategy's answer. Pure. */
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
    const words = new Map<string, string>();
    for (const { uid, why } of answer as readonly Ranked[]) if (typeof why === "string") words.set(uid, why);
    return { order, words };
  } catch (error) {
    return instead(`failed: ${errorText(error)}`);
  }
}

/** The candidates in the order of an answer, or what is wrong with it. */
function inOrder(answer: unknown, candidates: readonly EvictionCandidate[]): readonly EvictionCandidate[] | string {
  if (!Array.isArray(answer)) return `returned ${answer === null ? "null" : typeof answer}, expected an array of pods`;
  const left = new Set(candidates);
  let byUid: Map<string, EvictionCandidate> | undefined;
  const named = (uid: string): EvictionCandidate | undefined => {
    byUid ??= new Map(candidates.map((candidate) => [candidate.uid, candidate]));
    return byUid.get(uid);
  };
  const order: EvictionCandidate[] = [];
  for (const one of answer as readonly unknown[]) {
    const { uid } = (typeof one === "object" && one !== null ? one : {}) as { uid?: unknown };
    // Most answers hold the candidates themselves.
    const same = left.has(one as EvictionCandidate) ? (one as EvictionCandidate) : undefined;
    const candidate = same ?? (typeof uid === "string" ? named(uid) : undefined);
    if (candidate === undefined) return `named ${JSON.stringify(uid) ?? "a pod without uid"}, which may not go`;
    if (!left.delete(candidate)) return `named pod ${candidate.name} twice`;
    order.push(candidate);
  }
  const [missing] = left;
  return missing === undefined ? order : `left out pod ${missing.name}`;
}
