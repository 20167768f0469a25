/** In which order pods that have come are handled. Pure. */
import { isCriticalPod } from "@hooklet/manifest";
import type { WantedPod } from "./wanted-pods.js";

export interface TakingOrder {
  /** Those that run from before: all before the others, so that nobody takes their place over a restart of the agent. */
  readonly ran: readonly WantedPod[];
  /** By arrival, as in the kubelet, critical pods first: a higher priority starts earlier, but takes nobody's place here. */
  readonly others: readonly WantedPod[];
  /** Last, and one at a time. */
  readonly suspects: readonly WantedPod[];
}

export function takingOrder(
  pods: readonly WantedPod[],
  known: { ran(uid: string): boolean; suspect(uid: string): boolean },
): TakingOrder {
  const ran: WantedPod[] = [];
  const others: WantedPod[] = [];
  const suspects: WantedPod[] = [];
  for (const one of pods) {
    const { uid } = one.pod.metadata;
    (known.suspect(uid) ? suspects : known.ran(uid) ? ran : others).push(one);
  }
  const rank = ({ pod }: WantedPod): number => (isCriticalPod(pod) ? 0 : 1);
  return { ran, others: others.toSorted((a, b) => rank(a) - rank(b)), suspects };
}
