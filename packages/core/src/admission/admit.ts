/** Core's whole say in an admission, as a pure function (pkg/kubelet/lifecycle predicateAdmitHandler). Pure. */

import type { Pod } from "@hooklet/manifest";
import type { SecurityContext } from "kubernetes-types/core/v1.js";
import type { Rejection } from "../hooks/verdict.js";
import { type NodeFacts, OS_LABEL, withOsLabel } from "../plugin/contract/node.js";
import type { NodeAccount } from "./account.js";
import { generalPredicates, type PredicateOptions, removeMissingExtendedResources } from "./predicates.js";
import { noNodeInfo, osFieldMismatch, osLabelMismatch, supplementalGroupsUnsupported } from "./reasons.js";

export interface AdmitOptions extends PredicateOptions {
  /**
   * What becomes of a request for an extended resource that the node does not know: `drop` lets the pod run without it,
   * as the kubelet does; `reject` refuses the pod with `OutOf<resource>`. Default drop.
   */
  readonly missingExtendedResources?: "drop" | "reject";
}

/**
 * The reasons against `pod`, first the one to report; empty = admitted. What preemption cannot mend (OS, features) comes
 * alone, before any fit is tried. `account` holds the other pods of the node; `node` undefined = not known.
 */
export function admitPod(
  pod: Pod,
  node: NodeFacts | undefined,
  account: NodeAccount,
  options: AdmitOptions = {},
): readonly Rejection[] {
  if (!node) return [noNodeInfo()];
  const facts = withOsLabel(node);
  const unfit = rejectedByOs(pod, facts) ?? rejectedByFeatures(pod, facts);
  if (unfit) return [unfit];
  const asked =
    options.missingExtendedResources === "reject" ? pod : removeMissingExtendedResources(pod, facts.allocatable);
  return generalPredicates(asked, facts, account, options);
}

/** The pod's own LABEL is compared, not its node selector; then `spec.os`. */
export function rejectedByOs(pod: Pod, node: Pick<NodeFacts, "os">): Rejection | undefined {
  const label = pod.metadata.labels?.[OS_LABEL];
  if (label !== undefined && label !== node.os) return osLabelMismatch();
  if (pod.spec.os && pod.spec.os.name !== node.os) return osFieldMismatch();
  return undefined;
}

function rejectedByFeatures(pod: Pod, node: NodeFacts): Rejection | undefined {
  // The installed Kubernetes types are older than this field.
  const context = pod.spec.securityContext as (SecurityContext & { supplementalGroupsPolicy?: string }) | undefined;
  if (context?.supplementalGroupsPolicy !== "Strict" || node.features?.supplementalGroupsPolicy) return undefined;
  return supplementalGroupsUnsupported();
}
