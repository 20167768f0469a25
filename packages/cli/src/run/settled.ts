/** Pure. */
import { podReady } from "@hooklet/core/base";
import type { Pod } from "@hooklet/manifest";

/** Whether a pod is where it was to come to: Ready, or ended. */
export function isSettled(pod: Pod): boolean {
  return isEnded(pod) || (podReady(pod) && pod.metadata.deletionTimestamp == null);
}

/** Whether a pod has ended: Succeeded or Failed. */
function isEnded({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
