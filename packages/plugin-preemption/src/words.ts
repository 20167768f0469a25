/** The kubelet's words (pkg/kubelet/preemption, pkg/kubelet/lifecycle). Pure. */
import type { Eviction } from "@hooklet/core";

/** Event, status and condition of a victim. The grace period is the pod's own. */
export const preempting: Eviction = {
  reason: "Preempting",
  message: "Preempted in order to admit critical pod",
  condition: {
    type: "DisruptionTarget",
    reason: "TerminationByKubelet",
    message: "Pod was preempted by Kubelet to accommodate a critical pod.",
  },
};

export function searchFailed(why: string): string {
  return `preemption: error finding a set of pods to preempt: ${why}`;
}
