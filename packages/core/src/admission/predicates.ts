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

/** All reasons against the pod, in the kubelet's order: resources, node affinity, node name, host ports, taints. */
export function generalPredicates(pod: Pod, node: NodeFacts, account: NodeAccount): readonly Rejection[] {
  const reasons = shortfalls(podRequests(pod), node.allocatable, account).map(outOfResource);
  if (!matchesNodeAffinity(pod, node)) reasons.push(predicateFailed("NodeAffinity"));
  if (pod.spec.nodeName && pod.spec.nodeName !== node.name) reasons.push(predicateFailed("NodeName"));
  if (account.ports.conflict(hostPorts(pod))) reasons.push(predicateFailed("NodePorts"));
  if (!toleratesNode(pod, node.taints)) reasons.push(predicateFailed("TaintToleration"));
  return reasons;
}
