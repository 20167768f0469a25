/** What a new status of a pod says that the one before did not. Pure. */
import type { Pod } from "@hooklet/manifest";
import { podFacts } from "./pod-facts.js";
import type { Happening } from "./record.js";

/** What was last recorded of a pod. */
export interface Recorded {
  readonly ready: boolean;
  readonly phase: string;
}

export const NOTHING_RECORDED: Recorded = { ready: false, phase: "Pending" };

export function podChanges(
  seen: Pod,
  before: Recorded,
): { readonly recorded: Recorded; readonly happenings: readonly Happening[] } {
  const { pod, phase, ready } = podFacts(seen);
  const reason = seen.status?.reason;
  const happenings: Happening[] = [];
  if (phase !== before.phase) {
    happenings.push({ kind: "pod.phase", pod, phase, ...(reason === undefined ? {} : { reason }) });
  }
  if (ready !== before.ready) happenings.push({ kind: "pod.ready", pod, ready });
  return { recorded: { ready, phase }, happenings };
}
