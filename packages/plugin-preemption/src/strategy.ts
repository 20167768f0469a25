import type { Pod } from "@hooklet/core";
import type { Candidate } from "./candidate.js";
import type { Requirement } from "./requirements.js";

export interface VictimsInput {
  /** The pod that shall be admitted. */
  readonly preemptor: Pod;
  /** The pods that may go, oldest first. All of them together free enough. */
  readonly candidates: readonly Candidate[];
  /** What must be freed; not empty. */
  readonly requirements: readonly Requirement[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A chosen one: a candidate itself, or its uid, with the reason for `hooklet explain`. */
export interface Victim {
  readonly uid: string;
  readonly why?: string;
}

/**
 * Chooses who goes, in the order of the kills. Pure. The answer is checked: victims that are no candidates, come twice or
 * free too little reject the pod, and nobody is evicted.
 */
export type VictimsStrategy = (input: VictimsInput) => readonly Victim[];
