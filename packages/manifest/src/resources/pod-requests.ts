/**
 * The resource requests of a pod. There are two rules, as in Kubernetes: that of the fit test (component-helpers
 * PodRequests) and that of preemption (GetResourceRequest); they differ over pod-level resources and overhead. Pure.
 */

import type { ResourceRequirements } from "kubernetes-types/core/v1.js";
import { initContainers, isSidecar, mainContainers, type Pod } from "../pod.js";
import {
  addList,
  isPodLevelResource,
  maxList,
  parseList,
  type ResourceList,
  type Resources,
  toResources,
} from "./list.js";
import { addQuantities } from "./quantity.js";

export interface PodResourceOptions {
  /** The gate PodLevelResources; default true. Off: `spec.resources` of the pod is ignored. */
  readonly podLevelResources?: boolean;
}

type Kind = "requests" | "limits";

/** By spec: a pod with a newer status is another object with the same spec. */
const cachedRequests = new WeakMap<Pod["spec"], Resources>();

/**
 * The request that a node accounts for a pod: cpu in milli-cores, all others in bytes or counts, `pods` left out. The greater of
 * all main containers and sidecars together, and each init container with the sidecars before it; then pod-level values,
 * then overhead. Summed exactly, rounded up once. Cached by spec.
 * @throws Error naming the resource when a quantity is malformed
 */
export function podRequests(pod: Pod, options: PodResourceOptions = {}): Resources {
  if (options.podLevelResources === false) return toResources(podRequestList(pod, options));
  const known = cachedRequests.get(pod.spec);
  if (known) return known;
  const requests = toResources(podRequestList(pod, options));
  cachedRequests.set(pod.spec, requests);
  return requests;
}

/** `podRequests`, exact. */
export function podRequestList(pod: Pod, options: PodResourceOptions = {}): ResourceList {
  const requests = effectiveList(pod, "requests", options);
  addList(requests, parseList(pod.spec.overhead));
  return requests;
}

/** The limits of a pod by the rule of `podRequests`; overhead is added only to limits that are set. */
export function podLimits(pod: Pod, options: PodResourceOptions = {}): Resources {
  return toResources(podLimitList(pod, options));
}

/** `podLimits`, exact. */
export function podLimitList(pod: Pod, options: PodResourceOptions = {}): ResourceList {
  const limits = effectiveList(pod, "limits", options);
  for (const [resource, overhead] of parseList(pod.spec.overhead)) {
    const limit = limits.get(resource);
    if (limit && limit.nano !== 0n) limits.set(resource, addQuantities(limit, overhead));
  }
  return limits;
}

/** As `cachedRequests`, by the rule of `podRequest`. */
const cachedByRule = new WeakMap<Pod["spec"], Resources>();

/**
 * The request for one resource as preemption counts it. `pods` is 1. With pod-level resources set, containers do not count at
 * all. Overhead counts only on top of something. Cached by spec.
 */
export function podRequest(pod: Pod, resource: string, options: PodResourceOptions = {}): number {
  if (resource === "pods") return 1;
  if (options.podLevelResources === false) return preemptionRequests(pod, options)[resource] ?? 0;
  let requests = cachedByRule.get(pod.spec);
  if (requests === undefined) {
    requests = preemptionRequests(pod, options);
    cachedByRule.set(pod.spec, requests);
  }
  return requests[resource] ?? 0;
}

function preemptionRequests(pod: Pod, options: PodResourceOptions): Resources {
  const podLevel = options.podLevelResources === false ? undefined : podLevelResources(pod);
  const requests = podLevel ? podLevelList(podLevel, "requests") : containerList(pod, "requests");
  for (const [resource, overhead] of parseList(pod.spec.overhead)) {
    const total = requests.get(resource);
    if (total && total.nano !== 0n) requests.set(resource, addQuantities(total, overhead));
  }
  return toResources(requests);
}

/** `spec.resources`, when it says anything about cpu, memory or huge pages. */
export function podLevelResources(pod: Pod): ResourceRequirements | undefined {
  const resources = rawPodLevelResources(pod);
  const names = [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})];
  return names.some(isPodLevelResource) ? resources : undefined;
}

/** `spec.resources` as it stands; the installed Kubernetes types are older than this field. */
export function rawPodLevelResources(pod: Pod): ResourceRequirements | undefined {
  return (pod.spec as { readonly resources?: ResourceRequirements }).resources ?? undefined;
}

function effectiveList(pod: Pod, kind: Kind, options: PodResourceOptions): ResourceList {
  const list = containerList(pod, kind);
  const podLevel = options.podLevelResources === false ? undefined : podLevelResources(pod);
  for (const [resource, quantity] of podLevel ? podLevelList(podLevel, kind) : []) list.set(resource, quantity);
  return list;
}

function podLevelList(resources: ResourceRequirements, kind: Kind): ResourceList {
  const list = parseList(resources[kind]);
  for (const resource of list.keys()) if (!isPodLevelResource(resource)) list.delete(resource);
  return list;
}

function containerList(pod: Pod, kind: Kind): ResourceList {
  const running: ResourceList = new Map();
  for (const container of mainContainers(pod)) addList(running, parseList(container.resources?.[kind]));
  const sidecars: ResourceList = new Map();
  const stages: ResourceList = new Map();
  for (const container of initContainers(pod)) {
    const own = parseList(container.resources?.[kind]);
    if (isSidecar(container)) {
      addList(running, own);
      addList(sidecars, own);
    } else {
      addList(own, sidecars);
      maxList(stages, own);
    }
  }
  maxList(running, stages);
  return running;
}
