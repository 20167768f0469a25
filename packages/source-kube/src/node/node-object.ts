/** The Node as it is registered. Pure. */
import type { NodeTaint } from "@hooklet/core";
import type { Node } from "kubernetes-types/core/v1.js";
import type { NodeStatus } from "./node-status.js";

export const ATTACH_DETACH = "volumes.kubernetes.io/controller-managed-attach-detach";

export interface Registration {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
  readonly providerID: string | undefined;
  readonly status: NodeStatus;
}

export function newNode({ name, labels, taints, providerID, status }: Registration): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { ...labels }, annotations: { [ATTACH_DETACH]: "true" } },
    spec: {
      ...(providerID !== undefined && { providerID }),
      ...(taints.length > 0 && { taints: taints.map((taint) => ({ ...taint })) }),
    },
    status: status as unknown as NonNullable<Node["status"]>,
  };
}

/** What an existing Node lacks; undefined when it lacks nothing. A merge patch. */
export function nodePatch(
  inApi: Node,
  labels: Readonly<Record<string, string>>,
  providerID: string | undefined,
): object | undefined {
  const { metadata = {}, spec = {} } = inApi;
  const missing = Object.entries(labels).filter(([label, value]) => metadata.labels?.[label] !== value);
  const annotated = metadata.annotations?.[ATTACH_DETACH] === "true";
  const provider = providerID !== undefined && spec.providerID === undefined;
  if (missing.length === 0 && annotated && !provider) return undefined;
  return {
    metadata: {
      ...(missing.length > 0 && { labels: Object.fromEntries(missing) }),
      ...(!annotated && { annotations: { [ATTACH_DETACH]: "true" } }),
    },
    ...(provider && { spec: { providerID } }),
  };
}
