/** The order of eviction, with the check of a strategy's answer. Pure. */
import { errorText } from "@hooklet/core";
import { kubeletOrder } from "./strategies/kubelet.js";
import type { RankingInput, RankingStrategy } from "./strategy.js";
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
    order: kubeletOrder(input),
    words: new Map(),
    failure: `ranking strategy "${strategyName}" ${what}; the kubelet's order is used. Mend it, or choose another one for "ranking".`,
  });
  try {
    // Lists of its own, to sort as it likes; what the answer is checked against is frozen.
    const own = { ...input, layout: { ...input.layout }, candidates: [...input.candidates] };
    const answer = inOrder(strategy(own), input.candidates);
    return typeof answer === "string" ? instead(answer) : answer;
  } catch (error) {
    return instead(`failed: ${shortened(errorText(error))}`);
  }
}

/** Characters of a strategy's own words: they stay in memory as long as the decision, and go into events. */
const WORDS = 500;

function shortened(text: string): string {
  return text.length > WORDS ? `${text.slice(0, WORDS)}...` : text;
}

/** The candidates in the order of an answer, or what is wrong with it. Reads the answer once: it may be anything. */
function inOrder(answer: unknown, candidates: readonly EvictionCandidate[]): Omit<Ranking, "failure"> | string {
  if (!Array.isArray(answer)) return `returned ${answer === null ? "null" : typeof answer}, expected an array of pods`;
  const left = new Set(candidates);
  let byUid: Map<string, EvictionCandidate> | undefined;
  const named = (uid: string): EvictionCandidate | undefined => {
    byUid ??= new Map(candidates.map((candidate) => [candidate.uid, candidate]));
    return byUid.get(uid);
  };
  const order: EvictionCandidate[] = [];
  const words = new Map<string, string>();
  for (const one of answer as readonly unknown[]) {
    const { uid, why } = (typeof one === "object" && one !== null ? one : {}) as { uid?: unknown; why?: unknown };
    // Most answers hold the candidates themselves.
    const same = left.has(one as EvictionCandidate) ? (one as EvictionCandidate) : undefined;
    const candidate = same ?? (typeof uid === "string" ? named(uid) : undefined);
    if (candidate === undefined) return `named ${nameOf(uid)}, which may not go`;
    if (!left.delete(candidate)) return `named pod ${candidate.name} twice`;
    order.push(candidate);
    if (typeof why === "string") words.set(candidate.uid, shortened(why));
  }
  const [missing] = left;
  return missing === undefined ? { order, words } : `left out pod ${missing.name}`;
}

function nameOf(uid: unknown): string {
  return typeof uid === "string" ? JSON.stringify(shortened(uid)) : "a pod without uid";
}
