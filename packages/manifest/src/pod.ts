/**
 * A pod in core: a Kubernetes v1 Pod, defaulted and validated, with name, namespace and uid. Treat it as frozen: a changed manifest is a new
 * pod. Pure.
 */

import type * as v1 from "kubernetes-types/core/v1.js";
import type { ObjectMeta } from "kubernetes-types/meta/v1.js";

export type Container = v1.Container;

export interface Pod extends v1.Pod {
  readonly metadata: ObjectMeta & { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly spec: v1.PodSpec;
}

export function initContainers(pod: Pod): readonly Container[] {
  return pod.spec.initContainers ?? [];
}

export function mainContainers(pod: Pod): readonly Container[] {
  return pod.spec.containers;
}

/** Init containers first, in the order of the manifest. */
export function allContainers(pod: Pod): readonly Container[] {
  return [...initContainers(pod), ...mainContainers(pod)];
}

/** Its phase is final, Succeeded or Failed; of one that was evicted containers may still run. */
export function hasEnded({ status }: Pick<Pod, "status">): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Ephemeral containers, for debugging: each runs once, and nothing waits for it. */
export function ephemeralContainers(pod: Pod): readonly Container[] {
  return (pod.spec.ephemeralContainers ?? []) as readonly Container[];
}

/** All that may run in the pod, the ephemeral ones last. */
export function runnableContainers(pod: Pod): readonly Container[] {
  return [...allContainers(pod), ...ephemeralContainers(pod)];
}

export type RestartPolicy = "Always" | "OnFailure" | "Never";

export function restartPolicy(pod: Pod): RestartPolicy {
  return (pod.spec.restartPolicy as RestartPolicy | undefined) ?? "Always";
}

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

/** A container of a pod, by the pod's uid and the container's name. */
export interface ContainerRef {
  readonly podUid: string;
  readonly container: string;
}

/** Init containers with restartPolicy Always run with the main ones. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === "Always";
}

/** `name_namespace(uid)`, the kubelet's way to name a pod in messages. */
export function podText(pod: Pod): string {
  return `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
}

/** `namespace/name`, as in the API. */
export function namespacedName({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** The annotations by which a kubelet marks where a pod came from. */
export const ConfigAnnotations = {
  source: "kubernetes.io/config.source",
  hash: "kubernetes.io/config.hash",
  seen: "kubernetes.io/config.seen",
  mirror: "kubernetes.io/config.mirror",
} as const;

// Which pods a node may not do without (Kubernetes pkg/kubelet/types/pod_update.go).

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
