/** Why a resize cannot be done, with the kubelet's messages (canResizePod). Pure. */
import type { NodeFacts, Pod } from "@hooklet/core";
import { accountOf, admitPod, podRequests, qosClass } from "@hooklet/core/rules";

export interface ResizeRefusal {
  /** Infeasible: the node could never; Deferred: it cannot now. */
  readonly reason: "Infeasible" | "Deferred";
  readonly message: string;
}

export interface ResizeFacts {
  readonly node: NodeFacts;
  /** The other pods of the node, with what they have, not with what they wait for. */
  readonly others: readonly Pod[];
  /** `cpuManagerPolicy: static`. */
  readonly staticCpus: boolean;
}

export function resizeRefusal(pod: Pod, { node, others, staticCpus }: ResizeFacts): ResizeRefusal | undefined {
  if (staticCpus && qosClass(pod) === "Guaranteed") {
    const message = "Resize is infeasible for Guaranteed Pods alongside CPU Manager static policy";
    return { reason: "Infeasible", message };
  }
  const requests = podRequests(pod);
  // The kubelet checks memory first.
  for (const resource of ["memory", "cpu"]) {
    const [requested, capacity] = [requests[resource] ?? 0, node.allocatable[resource] ?? 0];
    if (requested <= capacity) continue;
    const message = `Node didn't have enough capacity: ${resource}, requested: ${requested}, capacity: ${capacity}`;
    return { reason: "Infeasible", message };
  }
  const now = admitPod(pod, node, accountOf(others)).find(({ shortfall }) => shortfall !== undefined);
  return now && { reason: "Deferred", message: now.message };
}
