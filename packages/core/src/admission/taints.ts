/** Taints and tolerations (component-helpers scheduling/corev1). Pure. */

import type { Pod } from "@hooklet/manifest";
import { isStaticPod } from "@hooklet/manifest";
import type { Toleration } from "kubernetes-types/core/v1.js";
import type { NodeTaint } from "../plugin/contract/node-facts.js";

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
