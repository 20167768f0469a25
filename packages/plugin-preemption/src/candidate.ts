/** The pods that may go, as strategies see them. Pure. */

import { namespacedName, type Pod, type QosClass } from "@hooklet/core";
import { isPreemptable, podRequest, qosClass } from "@hooklet/core/rules";
import type { Requests, Requirement } from "./requirements.js";

export interface Candidate {
  /** `metadata.uid`. */
  readonly uid: string;
  /** `namespace/name`. */
  readonly name: string;
  /** The pod, frozen. */
  readonly pod: Pod;
  /** `Guaranteed`, `Burstable` or `BestEffort`. */
  readonly qosClass: QosClass;
  /** `spec.priority`, 0 when there is none. */
  readonly priority: number;
  /** What its eviction frees: cpu (milli-cores), memory (bytes) and each required resource. */
  readonly requests: Requests;
}

/** The preemptable ones of `pods`, in their order. */
export function candidatesFor(
  preemptor: Pod,
  pods: readonly Pod[],
  requirements: readonly Requirement[],
): readonly Candidate[] {
  const resources = [...new Set([...requirements.map(({ resource }) => resource), "memory", "cpu"])];
  return pods
    .filter((pod) => isPreemptable(preemptor, pod))
    .map((pod) => candidateOf(pod, resources))
    .filter(({ qosClass }) => qosClasses.includes(qosClass));
}

/** The order in which they give. As in the kubelet, a pod whose status names another class is left out. */
const qosClasses: readonly QosClass[] = ["BestEffort", "Burstable", "Guaranteed"];

export function qosRank({ qosClass }: Pick<Candidate, "qosClass">): number {
  return qosClasses.indexOf(qosClass);
}

/** Frozen: a strategy gets it as it is. @param resources those that `requests` shall hold */
export function candidateOf(pod: Pod, resources: readonly string[]): Candidate {
  const requests: Record<string, number> = {};
  for (const resource of resources) requests[resource] = podRequest(pod, resource);
  const { priority = 0 } = pod.spec;
  const { uid } = pod.metadata;
  Object.freeze(requests);
  return Object.freeze({ uid, name: namespacedName(pod.metadata), pod, qosClass: qosClass(pod), priority, requests });
}

/**
 * An order of the pods that no map decides: oldest first, then by name. Where a rule leaves two pods equal the later one
 * goes, so the pod that came last.
 */
export function inOrder(pods: readonly Pod[]): readonly Pod[] {
  const keyed = pods.map((pod) => ({
    pod,
    key: `${cameAt(pod)}\n${namespacedName(pod.metadata)}\n${pod.metadata.uid}`,
  }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ pod }) => pod);
}

const SEEN = "kubernetes.io/config.seen";

/** An RFC 3339 time in UTC, which sorts as text. */
function cameAt({ metadata }: Pod): string {
  return String(metadata.creationTimestamp ?? metadata.annotations?.[SEEN] ?? "");
}
