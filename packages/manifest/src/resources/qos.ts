/** QoS class of a pod (Kubernetes pkg/apis/core/v1/helper/qos). Only cpu and memory count, and only above zero. Pure. */
import type { ResourceRequirements } from "kubernetes-types/core/v1.js";
import { allContainers, type Pod, type QosClass } from "../pod.js";
import { addList, parseList, type QuantityTexts, type ResourceList } from "./list.js";
import { type PodResourceOptions, rawPodLevelResources } from "./pod-requests.js";
import { compare } from "./quantity.js";

export interface QosResources {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
  /** Every container (or the pod level) has a cpu and a memory limit above zero. */
  readonly limitsComplete: boolean;
}

/** The class that the pod's status names, otherwise the computed one. */
export function qosClass(pod: Pod, options: PodResourceOptions = {}): QosClass {
  return (pod.status?.qosClass as QosClass | "" | undefined) || computeQosClass(pod, options);
}

/** The class by the pod's spec alone. With `spec.resources` set containers do not count. */
export function computeQosClass(pod: Pod, options: PodResourceOptions = {}): QosClass {
  const podLevel = options.podLevelResources === false ? undefined : rawPodLevelResources(pod);
  const { requests, limits, limitsComplete } = podLevel
    ? collectPodLevelResources(podLevel)
    : collectContainerResources(pod);
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  return limitsComplete && sameAmounts(requests, limits) ? "Guaranteed" : "Burstable";
}

/** Sums over main and init containers alike, sidecars included; ephemeral containers never count. */
export function collectContainerResources(pod: Pod): QosResources {
  const requests: ResourceList = new Map();
  const limits: ResourceList = new Map();
  let limitsComplete = true;
  for (const container of allContainers(pod)) {
    const ownLimits = countedList(container.resources?.limits);
    addList(requests, countedList(container.resources?.requests));
    addList(limits, ownLimits);
    if (ownLimits.size < COUNTED.length) limitsComplete = false;
  }
  return { requests, limits, limitsComplete };
}

export function collectPodLevelResources(resources: ResourceRequirements): QosResources {
  const limits = countedList(resources.limits);
  return { requests: countedList(resources.requests), limits, limitsComplete: limits.size === COUNTED.length };
}

const COUNTED = ["cpu", "memory"];

function countedList(texts: QuantityTexts | undefined): ResourceList {
  const list = parseList(texts);
  for (const [resource, quantity] of list) {
    if (!COUNTED.includes(resource) || quantity.nano <= 0n) list.delete(resource);
  }
  return list;
}

function sameAmounts(a: ResourceList, b: ResourceList): boolean {
  if (a.size !== b.size) return false;
  for (const [resource, quantity] of a) {
    const other = b.get(resource);
    if (!other || compare(quantity, other) !== 0) return false;
  }
  return true;
}
