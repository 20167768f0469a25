/** Pure. */
import { podReady } from "@hooklet/core/base";
import { hasEnded, type Pod } from "@hooklet/manifest";

/** Whether a pod is where it was to come to: Ready, or ended. */
export function isSettled(pod: Pod): boolean {
  return hasEnded(pod) || (podReady(pod) && pod.metadata.deletionTimestamp == null);
}
