/** The node's facts for the predicates. Pure. */

import type { Resources } from "@hooklet/manifest";
import type { Taint } from "kubernetes-types/core/v1.js";

export interface NodeFacts {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
  /** Includes `pods`; cpu in milli-cores. */
  readonly allocatable: Resources;
  /** GOOS of the machine: `linux`. */
  readonly os: string;
  readonly features?: { readonly supplementalGroupsPolicy?: boolean };
}

export type NodeTaint = Readonly<Pick<Taint, "key" | "value" | "effect">>;

export const OS_LABEL = "kubernetes.io/os";

/** The node with its OS label set right: a wrong one is overwritten before anything is matched against it. */
export function withOsLabel(node: NodeFacts): NodeFacts {
  return node.labels[OS_LABEL] === node.os ? node : { ...node, labels: { ...node.labels, [OS_LABEL]: node.os } };
}
