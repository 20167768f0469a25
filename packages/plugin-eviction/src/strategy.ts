import type { DiskLayout } from "./layout.js";
import type { Signal, StarvedResource } from "./signals.js";
import type { EvictionCandidate } from "./usage/candidate.js";

export interface RankingInput {
  /** What was crossed. */
  readonly signal: Signal;
  readonly resource: StarvedResource;
  /** The pods that may go, in the order in which they came to the node; critical ones are not among them. */
  readonly candidates: readonly EvictionCandidate[];
  readonly layout: DiskLayout;
}

/** A candidate itself, or its uid, with the reason for `hooklet explain`. */
export interface Ranked {
  readonly uid: string;
  readonly why?: string;
}

/**
 * Orders the candidates, first to go first. Pure. The answer is checked: it has to hold each candidate once and nobody else;
 * otherwise the kubelet's order is used, and an event tells so.
 */
export type RankingStrategy = (input: RankingInput) => readonly Ranked[];
