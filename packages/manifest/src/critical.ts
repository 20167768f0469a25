/** Which pods a node may not do without (Kubernetes pkg/kubelet/types/pod_update.go). Pure. */
import { ConfigAnnotations, type Pod } from "./pod.js";

/** Lowest priority of the system's own classes; twice the highest that a user may define. */
const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;
const SYSTEM_NODE_CRITICAL = "system-node-critical";

/** The priority of one of the two classes that every cluster has; undefined for any other name. */
export function systemPriorityOf(priorityClassName: string): number | undefined {
  if (priorityClassName === SYSTEM_NODE_CRITICAL) return SYSTEM_CRITICAL_PRIORITY + 1000;
  return priorityClassName === "system-cluster-critical" ? SYSTEM_CRITICAL_PRIORITY : undefined;
}

/** From a manifest, not from the API: any source but `api`. */
export function isStaticPod(pod: Pod): boolean {
  const source = annotation(pod, ConfigAnnotations.source);
  return source !== undefined && source !== "api";
}

/** The API's shadow of a static pod; the annotation's value does not matter. */
export function isMirrorPod(pod: Pod): boolean {
  return annotation(pod, ConfigAnnotations.mirror) !== undefined;
}

export function isCriticalPriority(priority: number): boolean {
  return priority >= SYSTEM_CRITICAL_PRIORITY;
}

/** Never preempted by an ordinary pod without a higher priority, and may itself preempt. */
export function isCriticalPod(pod: Pod): boolean {
  const { priority } = pod.spec;
  return isStaticPod(pod) || isMirrorPod(pod) || (priority !== undefined && isCriticalPriority(priority));
}

export function isNodeCriticalPod(pod: Pod): boolean {
  return isCriticalPod(pod) && pod.spec.priorityClassName === SYSTEM_NODE_CRITICAL;
}

/**
 * Whether `victim` may be evicted for `preemptor`. A critical pod preempts any pod that is not, with any priorities; otherwise
 * only the strictly greater of two priorities that are both set does, and then even a critical pod is preempted.
 */
export function isPreemptable(preemptor: Pod, victim: Pod): boolean {
  if (isCriticalPod(preemptor) && !isCriticalPod(victim)) return true;
  const [higher, lower] = [preemptor.spec.priority, victim.spec.priority];
  return higher !== undefined && lower !== undefined && higher > lower;
}

function annotation(pod: Pod, key: string): string | undefined {
  const annotations = pod.metadata.annotations;
  return annotations && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}
