/** In which order pods that have come are handled. Pure. */
import { isCriticalPod } from "@hooklet/manifest";
import type { WantedPod } from "./wanted-pods.js";

export interface TakingOrder {
  /** Those that run from before: all before the others, so that nobody takes their place over a restart of the agent. */
  readonly ran: readonly WantedPod[];
  /** By arrival, as in the kubelet, critical pods first: a higher priority starts earlier, but takes nobody's place here. */
  readonly others: readonly WantedPod[];
  /** Last, and one at a time; among them as above. */
  readonly suspects: readonly WantedPod[];
}

export function takingOrder(
  pods: readonly WantedPod[],
  known: { ran(uid: string): boolean; suspect(uid: string): boolean },
): TakingOrder {
  const rank = ({ pod }: WantedPod): number => (isCriticalPod(pod) ? 0 : 1);
  const isSuspect = ({ pod }: WantedPod): boolean => known.suspect(pod.metadata.uid);
  const ran = pods.filter(({ pod }) => known.ran(pod.metadata.uid));
  const others = pods.filter(({ pod }) => !known.ran(pod.metadata.uid)).toSorted((a, b) => rank(a) - rank(b));
  return {
    ran: ran.filter((one) => !isSuspect(one)),
    others: others.filter((one) => !isSuspect(one)),
    suspects: [...ran, ...others].filter(isSuspect),
  };
}
