/** The order of eviction: the strategies of option `ranking`, and the check of what one answers. Pure. */
import type { StrategyTable } from "@hooklet/core";
import { thrownText } from "@hooklet/core/subsystem";
import type { EvictionCandidate } from "./candidates.js";
import type { DiskLayout } from "./layout.js";
import type { Signal, StarvedResource } from "./signals.js";

export interface RankingInput {
  /** The eviction signal whose threshold was crossed, such as `memory.available`. */
  readonly signal: Signal;
  /** `memory`, `ephemeral-storage`, `inodes`, `pids` or `io`. */
  readonly resource: StarvedResource;
  /** The pods that may be evicted, oldest on the node first; without critical pods. */
  readonly candidates: readonly EvictionCandidate[];
  /** Which disks the node has: `dedicatedImageFs` (images on a disk of their own), `splitContainerImageFs` (writable layers on another disk than images). */
  readonly layout: DiskLayout;
}

/** A candidate itself, or its uid, with the reason for `hooklet explain`. */
export interface Ranked {
  readonly uid: string;
  readonly why?: string;
}

/**
 * Orders the candidates, first to be evicted first. Pure. The result must contain each candidate exactly once; otherwise the
 * kubelet's order is used, and an event reports it.
 */
export type RankingStrategy = (input: RankingInput) => readonly Ranked[];

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

/** Evicts the largest usage first, whatever the request; pods without statistics last. */
export const largestUsage: RankingStrategy = ({ candidates }) =>
  [...candidates].sort((a, b) => Number(b.known) - Number(a.known) || b.usage - a.usage || a.priority - b.priority);

/** A pod of low priority goes before one of higher priority even when it stays within its request; the kubelet's order among equals. */
export const lowestPriorityFirst: RankingStrategy = (input) =>
  [...kubeletOrder(input)].sort((a, b) => a.priority - b.priority);

const entry = (description: string, strategy: RankingStrategy): StrategyTable<RankingStrategy>[string] => ({
  description,
  options: (z) => z.strictObject({}),
  create: () => strategy,
});

/** The strategies of option `ranking`; the first is the default. */
export const rankingStrategies: StrategyTable<RankingStrategy> = {
  kubelet: entry("Over its request first, then lower priority, then furthest over its request", kubelet),
  "lowest-priority-first": entry("Lower priority first, over its request or not", lowestPriorityFirst),
  "largest-usage": entry("The largest usage first, regardless of requests", largestUsage),
};

export interface Ranking {
  /** First to go first. */
  readonly order: readonly EvictionCandidate[];
  /** The strategy's messages, by uid. */
  readonly words: ReadonlyMap<string, string>;
  /** What is wrong with the strategy's answer, so that the kubelet's order was taken. */
  readonly failure?: string;
}

export function rank(input: RankingInput, strategy: RankingStrategy, strategyName: string): Ranking {
  const instead = (what: string): Ranking => ({
    order: kubeletOrder(input),
    words: new Map(),
    failure: `ranking strategy "${strategyName}" ${what}; the kubelet's order is used. Fix it, or choose another one for "ranking".`,
  });
  try {
    // Copies, which the strategy may sort; the result is checked against the frozen originals.
    const own = { ...input, layout: { ...input.layout }, candidates: [...input.candidates] };
    const answer = inOrder(strategy(own), input.candidates);
    return typeof answer === "string" ? instead(answer) : answer;
  } catch (error) {
    return instead(`failed: ${shortened(thrownText(error))}`);
  }
}

/** What is wrong with a strategy's answer; undefined when it may be used. For tests of your own strategy. */
export function rankingFault(answer: unknown, { candidates }: RankingInput): string | undefined {
  const ranked = inOrder(answer, candidates);
  return typeof ranked === "string" ? ranked : undefined;
}

/** Longest message of a strategy: it stays in memory as long as the decision, and goes into events. */
const WORDS = 500;

function shortened(text: string): string {
  return text.length > WORDS ? `${text.slice(0, WORDS)}...` : text;
}

/** The candidates in the order of an answer, or what is wrong with it. Reads the answer once: it may be anything. */
function inOrder(answer: unknown, candidates: readonly EvictionCandidate[]): Omit<Ranking, "failure"> | string {
  if (answer instanceof Promise) return "returned a promise, expected an array of pods at once";
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
    if (why !== undefined && typeof why !== "string") return `gave a reason for pod ${candidate.name} that is no text`;
    if (why !== undefined) words.set(candidate.uid, shortened(why));
  }
  const [missing] = left;
  return missing === undefined ? { order, words } : `left out pod ${missing.name}`;
}

function nameOf(uid: unknown): string {
  return typeof uid === "string" ? JSON.stringify(shortened(uid)) : "a pod without uid";
}
