/** The node as a v1 Node, as `get node -o yaml` shows it. Pure. */
import type { Image, Resources } from "@hooklet/core";
import type { NodeReport } from "@hooklet/core/base";
import { rfc3339 } from "@hooklet/utils";
import type { Node, NodeCondition } from "kubernetes-types/core/v1.js";
import { amount } from "./amounts.js";

/** What keeps a node from being ready. */
export interface Unready {
  readonly message: string;
  /** Milliseconds since the epoch, where an event says it. */
  readonly since?: number | undefined;
}

/** As the kubelet has it. */
export function readyCondition(unready: Unready | undefined): NodeCondition {
  return unready === undefined
    ? { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }
    : { type: "Ready", status: "False", reason: "KubeletNotReady", message: unready.message };
}

export function nodeObject(
  node: NodeReport,
  images: readonly Image[],
  unready: Unready | undefined,
  now: number,
): Node {
  const { system, runtime, agentVersion } = node;
  const time = rfc3339(now);
  const ready: NodeCondition = {
    ...readyCondition(unready),
    lastHeartbeatTime: time,
    lastTransitionTime: rfc3339(unready?.since ?? node.startedAt),
  };
  const conditions = node.conditions.map(({ plugin: _, lastHeartbeatTime, lastTransitionTime, ...condition }) => ({
    ...condition,
    lastHeartbeatTime: rfc3339(lastHeartbeatTime),
    lastTransitionTime: rfc3339(lastTransitionTime),
  }));
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: node.name, labels: { ...node.labels }, creationTimestamp: rfc3339(node.createdAt) },
    spec: node.taints.length === 0 ? {} : { taints: node.taints.map((taint) => ({ ...taint })) },
    status: {
      addresses: [
        { type: "InternalIP", address: node.ip },
        { type: "Hostname", address: node.name },
      ],
      capacity: amounts(node.capacity),
      allocatable: amounts(node.allocatable),
      conditions: [...conditions, ready],
      images: images.map(({ repoTags, repoDigests, size }) => ({
        names: [...repoDigests, ...repoTags],
        sizeBytes: size,
      })),
      nodeInfo: {
        ...system,
        containerRuntimeVersion: `${runtime.idPrefix}://${runtime.runtimeVersion}`,
        kubeletVersion: `hooklet-${agentVersion}`,
        kubeProxyVersion: "",
      },
    },
  };
}

function amounts(resources: Resources): Record<string, string> {
  return Object.fromEntries(Object.entries(resources).map(([name, value]) => [name, amount(name, value ?? 0)]));
}
