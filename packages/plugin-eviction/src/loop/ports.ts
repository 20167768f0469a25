import type { Pod } from "@hooklet/core";
import type { DiskLayout } from "../layout.js";
import type { ReclaimFunction } from "../round/reclaim.js";
import type { EvictionState } from "../round/state.js";
import type { StarvedResource } from "../signals.js";
import type { Statistics } from "../statistics.js";
import type { EvictionAnnotations } from "../words/message.js";

/** One pod that goes, and what is said about it. */
export interface PodEviction {
  readonly pod: Pod;
  /** The label of `kubelet_evictions`. */
  readonly signal: string;
  readonly message: string;
  /** Of the event; empty for local storage limits. */
  readonly annotations: EvictionAnnotations;
  readonly gracePeriodSeconds: number;
  /** True for node pressure: the pod gets the condition DisruptionTarget. */
  readonly disruption: boolean;
  /** For `hooklet explain`: who else was looked at. */
  readonly considered: readonly { readonly candidate: string; readonly verdict: string; readonly why: string }[];
}

/** What a round needs of the node. */
export interface RoundPorts {
  /** Milliseconds; only differences count. */
  monotonic(): number;
  /** Not terminal, or still terminating, in the order in which they came. */
  activePods(): readonly Pod[];
  layout(): Promise<DiskLayout>;
  /** Read afresh. */
  statistics(): Promise<Statistics>;
  reclaim(what: ReclaimFunction): Promise<void>;
  /** Blocks until the pod is gone. A rejection is logged and counts as evicted, as in the kubelet. */
  evict(eviction: PodEviction): Promise<void>;
  /** Processes that are dead and nobody's, and count as processes until the machine's init has looked after them. */
  unreaped(): number;
  /** The numbers of a round have been looked at: conditions are up to date, nobody has gone yet. */
  observed(state: EvictionState): void;
  /** A threshold is acted on. */
  attempting(resource: StarvedResource): void;
  /** The numbers on which pods are ranked, with the time they were taken at (milliseconds since the epoch). */
  rankedOn(signal: string, time: number): void;
  /** Somebody would have to go, but the budget is spent. */
  overBudget(resource: StarvedResource): void;
  /** What went wrong without stopping the round; `error` is undefined for a plain remark. */
  note(text: string, error?: unknown): void;
  /** A custom strategy's answer was of no use. */
  strategyFailed(text: string): void;
}
