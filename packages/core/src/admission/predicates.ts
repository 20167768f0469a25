/** The general predicates: may this pod run on this node? (pkg/kubelet/lifecycle generalFilter). Pure. */
import type { Pod } from "@hooklet/manifest";
import { podRequests } from "@hooklet/manifest";
import type { Rejection } from "../hooks/verdict.js";
import type { NodeFacts } from "../plugin/contract/node-facts.js";
import type { NodeAccount } from "./account.js";
import { hostPorts } from "./host-ports.js";
import { matchesNodeAffinity } from "./node-affinity.js";
import { outOfResource, predicateFailed } from "./reasons.js";
import { shortfalls } from "./resource-fit.js";
import { toleratesNode } from "./taints.js";

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
