/** Whether the node is one that the pod wants and tolerates. Pure. */

import { isLabelValue, isQualifiedName, isStaticPod, type Pod } from "@hooklet/manifest";
import type { NodeSelectorRequirement, NodeSelectorTerm, Toleration } from "kubernetes-types/core/v1.js";
import type { NodeFacts, NodeTaint } from "../plugin/contract/node.js";

// nodeSelector and required node affinity (component-helpers nodeaffinity, apimachinery labels).

type Labels = Readonly<Record<string, string>>;

/** Every label of nodeSelector and at least one term of the required affinity match the node. */
export function matchesNodeAffinity(pod: Pod, node: Pick<NodeFacts, "name" | "labels">): boolean {
  for (const [key, wanted] of Object.entries(pod.spec.nodeSelector ?? {})) {
    if (labelOf(node.labels, key) !== wanted) return false;
  }
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return true;
  return (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node));
}

/** A term without any requirement matches nothing. */
function matchesTerm(term: NodeSelectorTerm, node: Pick<NodeFacts, "name" | "labels">): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return false;
  return (
    expressions.every((requirement) => matchesLabels(requirement, node.labels)) &&
    fields.every((requirement) => matchesField(requirement, { "metadata.name": node.name }))
  );
}

/** A malformed requirement matches nothing, with any operator. */
function matchesLabels({ key, operator, values = [] }: NodeSelectorRequirement, labels: Labels): boolean {
  if (!isQualifiedName(key) || !values.every(isLabelValue)) return false;
  const label = labelOf(labels, key);
  switch (operator) {
    case "In":
      return label !== undefined && values.includes(label);
    case "NotIn":
      return values.length > 0 && (label === undefined || !values.includes(label));
    case "Exists":
      return values.length === 0 && label !== undefined;
    case "DoesNotExist":
      return values.length === 0 && label === undefined;
    case "Gt":
    case "Lt": {
      const [bound, amount] = [values.length === 1 ? integer(values[0]) : undefined, integer(label)];
      if (bound === undefined || amount === undefined) return false;
      return operator === "Gt" ? amount > bound : amount < bound;
    }
    default:
      return false;
  }
}

/** Fields know In and NotIn with one value; a field that the node does not have is the empty text. */
function matchesField({ key, operator, values = [] }: NodeSelectorRequirement, fields: Labels): boolean {
  if (values.length !== 1) return false;
  const same = (labelOf(fields, key) ?? "") === values[0];
  if (operator === "In") return same;
  return operator === "NotIn" && !same;
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

const MAX_INT64 = 2n ** 63n - 1n;

/** Go's ParseInt(text, 10, 64). */
function integer(text: string | undefined): bigint | undefined {
  if (text === undefined || text.length > 64 || !/^[-+]?\d+$/.test(text)) return undefined;
  const parsed = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return parsed > MAX_INT64 || parsed < -MAX_INT64 - 1n ? undefined : parsed;
}

// Taints and tolerations (component-helpers scheduling/corev1).

/** A node agent minds NoExecute taints only, and static pods tolerate everything. */
export function toleratesNode(pod: Pod, taints: readonly NodeTaint[]): boolean {
  if (isStaticPod(pod)) return true;
  const tolerations = pod.spec.tolerations ?? [];
  return taints.every((taint) => taint.effect !== "NoExecute" || tolerations.some((one) => tolerates(one, taint)));
}

/** An empty effect or key matches all; an empty operator means Equal. */
export function tolerates(toleration: Toleration, taint: NodeTaint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  return (!toleration.operator || toleration.operator === "Equal") && (toleration.value ?? "") === (taint.value ?? "");
}
