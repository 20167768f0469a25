/** The kubelet's rejections, verbatim (pkg/kubelet/lifecycle/predicate.go). All messages of core's admission are here. Pure. */
import { errorText } from "@hooklet/utils";
import type { Rejection, ResourceShortfall } from "../hooks/verdict.js";

/** `OutOfcpu`, `OutOfpods`, `OutOfvendor.example/gpu`. */
export function outOfResource(shortfall: ResourceShortfall): Rejection {
  const { resource, requested, used, capacity } = shortfall;
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
    shortfall,
  };
}

/** What would have to be freed for the pod to fit, in the shortfall's own unit. */
export function missingAmount({ requested, used, capacity }: Omit<ResourceShortfall, "resource">): number {
  return requested - (capacity - used);
}

const predicateTexts = {
  NodeAffinity: "node(s) didn't match Pod's node affinity/selector",
  NodeName: "node(s) didn't match the requested node name",
  NodePorts: "node(s) didn't have free ports for the requested pod ports",
  TaintToleration: "node(s) had taints that the pod didn't tolerate",
} as const;

export type PredicateName = keyof typeof predicateTexts;

export function predicateFailed(name: PredicateName): Rejection {
  return { reason: name, message: `Predicate ${name} failed: ${predicateTexts[name]}` };
}

export function noNodeInfo(): Rejection {
  return { reason: "InvalidNodeInfo", message: "Kubelet cannot get node info." };
}

export function osLabelMismatch(): Rejection {
  return {
    reason: "PodOSSelectorNodeLabelDoesNotMatch",
    message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
  };
}

export function osFieldMismatch(): Rejection {
  return { reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS" };
}

export function supplementalGroupsUnsupported(): Rejection {
  return {
    reason: "SupplementalGroupsPolicyNotSupported",
    message: "SupplementalGroupsPolicy=Strict is not supported in this node",
  };
}

/** A repair (preemption) broke down. */
export function recoveryFailed(error: unknown): Rejection {
  return {
    reason: "UnexpectedAdmissionError",
    message: `Unexpected error while attempting to recover from admission failure: ${errorText(error)}`,
  };
}

/** The pod does not fit, and no reason is known. */
function unknownReason(): Rejection {
  return {
    reason: "UnknownReason",
    message: "GeneralPredicates failed due to unknown reason, which is unexpected.",
  };
}

/** The one rejection that the pod's status and event report: the first. */
export function reportedRejection(rejections: readonly Rejection[]): Rejection {
  return rejections[0] ?? unknownReason();
}
