/** The start order when more pods start than the node can hold (hooklet's own; the kubelet has none). Pure. */
import { isCriticalPod, type Pod } from "@hooklet/manifest";

/** In order of rank: whose pod is nearly done goes first, so that some run soon and not all at the end. */
const stages = ["start", "create", "sandbox"] as const;

/** Lower goes first: critical pods, then higher priorities, then those nearer to a running container. */
export function startRank(pod: Pod, stage: (typeof stages)[number]): readonly number[] {
  return [isCriticalPod(pod) ? 0 : 1, -(pod.spec.priority ?? 0), stages.indexOf(stage)];
}
