/** The general predicates: may this pod run on this node? (pkg/kubelet/lifecycle generalFilter). Pure. */

import {
  allContainers,
  type Container,
  isExtendedResource,
  isScalarResource,
  type Pod,
  podRequests,
  type Resources,
} from "@hooklet/manifest";
import type { Rejection, ResourceShortfall } from "../hooks/verdict.js";
import type { NodeFacts } from "../plugin/contract/node.js";
import type { NodeAccount } from "./account.js";
import { hostPorts } from "./host-ports.js";
import { outOfResource, predicateFailed } from "./reasons.js";
import { matchesNodeAffinity, toleratesNode } from "./scheduling.js";

/** What becomes of a pod that is not new here. */
export interface PredicateOptions {
  /** Passes over node affinity and taints, for a pod that was admitted here before. Default false. */
  readonly skipIgnorable?: boolean;
}

/**
 * True when the node's labels are the only reason of `generalPredicates`. The scheduler may have seen labels that have not
 * arrived here yet, so the kubelet then fetches the node again and decides once more.
 */
export function wantsFreshNode(reasons: readonly Rejection[]): boolean {
  return reasons.length > 0 && reasons.every(({ reason }) => reason === "NodeAffinity");
}

/** All reasons against the pod, in the kubelet's order: resources, node affinity, node name, host ports, taints. */
export function generalPredicates(
  pod: Pod,
  node: NodeFacts,
  account: NodeAccount,
  { skipIgnorable = false }: PredicateOptions = {},
): readonly Rejection[] {
  const reasons = shortfalls(podRequests(pod), node.allocatable, account).map(outOfResource);
  if (!skipIgnorable && !matchesNodeAffinity(pod, node)) reasons.push(predicateFailed("NodeAffinity"));
  if (pod.spec.nodeName && pod.spec.nodeName !== node.name) reasons.push(predicateFailed("NodeName"));
  if (account.ports.conflict(hostPorts(pod))) reasons.push(predicateFailed("NodePorts"));
  if (!skipIgnorable && !toleratesNode(pod, node.taints)) reasons.push(predicateFailed("TaintToleration"));
  return reasons;
}

// Requests for extended resources that the node does not know (pkg/kubelet/lifecycle removeMissingExtendedResources).

/**
 * The pod without requests for extended resources which allocatable does not name; a resource named with 0 stays, and
 * limits always stay. The pod itself comes back when there is nothing to drop.
 */
export function removeMissingExtendedResources(pod: Pod, allocatable: Resources): Pod {
  const dropped = (name: string): boolean => isExtendedResource(name) && !Object.hasOwn(allocatable, name);
  const touched = (container: Container): boolean =>
    Object.keys(container.resources?.requests ?? {}).some((name) => dropped(name));
  if (!allContainers(pod).some(touched)) return pod;

  const strip = (container: Container): Container => {
    if (!touched(container)) return container;
    const kept = Object.entries(container.resources?.requests ?? {}).filter(([name]) => !dropped(name));
    return { ...container, resources: { ...container.resources, requests: Object.fromEntries(kept) } };
  };
  const { containers, initContainers } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: containers.map(strip),
      ...(initContainers ? { initContainers: initContainers.map(strip) } : {}),
    },
  };
}

// Do the pod's requests fit into what is left of the node? (Kubernetes scheduler noderesources fit).

const FIRST = ["cpu", "memory", "ephemeral-storage"] as const;

/** Everything that the node has too little of: pods, cpu, memory, ephemeral-storage, then the others by name. */
function shortfalls(requests: Resources, allocatable: Resources, account: NodeAccount): ResourceShortfall[] {
  const found: ResourceShortfall[] = [];
  const allowed = allocatable.pods ?? 0;
  if (account.pods + 1 > allowed) {
    found.push({ resource: "pods", requested: 1, used: account.pods, capacity: allowed });
  }
  for (const resource of [...FIRST, ...scalarNames(requests)]) {
    const requested = requests[resource] ?? 0;
    const capacity = allocatable[resource] ?? 0;
    const used = account.used(resource);
    if (requested > 0 && requested > capacity - used) found.push({ resource, requested, used, capacity });
  }
  return found;
}

/** Sorted, so that the first of several shortfalls is always the same one. The kubelet takes them in random order. */
function scalarNames(requests: Resources): string[] {
  const names: string[] = [];
  for (const resource in requests) {
    if (!FIRST.includes(resource as (typeof FIRST)[number]) && isScalarResource(resource)) names.push(resource);
  }
  return names.sort();
}
