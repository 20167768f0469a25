import type { Pod } from "@hooklet/core";
import type { Candidate } from "./candidate.js";
import type { Requirement } from "./requirements.js";

export interface VictimsInput {
  /** The pod to be admitted. */
  readonly preemptor: Pod;
  /** The pods that may be evicted, oldest first. All of them together free enough. */
  readonly candidates: readonly Candidate[];
  /** What must be freed, `{resource, quantity}` each, in the unit of `requests`; not empty. */
  readonly requirements: readonly Requirement[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A chosen one: a candidate itself, or its uid, with the reason for `hooklet explain`. */
export interface Victim {
  readonly uid: string;
  readonly why?: string;
}

/** The strategy declines: the pod is rejected, no pod is evicted, and the reason is recorded for `hooklet explain`. */
export interface Declined {
  /** Why, for example "no pod that may go is older than an hour". */
  readonly decline: string;
}

/**
 * Chooses victims, in the order of the kills, or declines. Pure. The result is checked: victims that are no candidates, come twice or
 * free too little reject the pod, and no pod is evicted.
 */
export type VictimsStrategy = (input: VictimsInput) => readonly Victim[] | Declined;
