/**
 * A pod in core: a Kubernetes v1 Pod, defaulted and validated, with name, namespace and uid. Treat it as
 * frozen: a changed manifest is a new pod. Pure.
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
