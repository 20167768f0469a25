/** Which of several resizes that wait comes first (the kubelet's sortPendingResizes). Pure. */
import type { Pod, QosClass } from "@hooklet/core";
import { podRequests, qosClass } from "@hooklet/core/rules";
import type { ResizeRefusal } from "./refusal.js";

export interface WaitingResize {
  /** As it was last applied. */
  readonly before: Pod;
  readonly after: Pod;
  /** Milliseconds since the epoch: since when it waits. */
  readonly since: number;
  /** Why it waits; undefined: not decided yet, or under way. */
  readonly refusal?: ResizeRefusal | undefined;
}

const CLASSES: readonly QosClass[] = ["Guaranteed", "Burstable", "BestEffort"];

/** Resizes that only shrink come first, then by priority, QoS class and waiting time. */
export function resizeOrder<T extends WaitingResize>(waiting: readonly T[]): readonly T[] {
  const ranked = waiting.map((resize) => ({ resize, rank: rankOf(resize) }));
  return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ resize }) => resize);
}

function rankOf({ before, after, since }: WaitingResize): readonly number[] {
  const [had, asked] = [podRequests(before), podRequests(after)];
  const grows = (["cpu", "memory"] as const).some((resource) => (asked[resource] ?? 0) > (had[resource] ?? 0));
  return [grows ? 1 : 0, -(after.spec.priority ?? 0), CLASSES.indexOf(qosClass(after)), since];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
