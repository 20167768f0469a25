/** Which pods hold the recorded devices, and which are about to release them. */
import { hasEnded, type NodeContext, type Pod } from "@hooklet/core";
import type { Leaving } from "./waiting.js";

type Pods = Pick<NodeContext["pods"], "list" | "active" | "awaited">;

/**
 * Uids of the pods whose devices are theirs: also while they wait for their admission or their source after a restart, and until
 * the last container of one that was evicted is gone.
 */
export function holders(pods: Pods): ReadonlySet<string> {
  const open = pods.list().filter((pod) => !hasEnded(pod));
  return new Set([...open, ...pods.active(), ...pods.awaited()].map(({ metadata }) => metadata.uid));
}

/** @param others the pods that hold a part of the node */
export function leaving(pods: Pick<Pods, "awaited">, others: readonly Pod[]): Leaving {
  return {
    ending: others.filter((pod) => pod.metadata.deletionTimestamp !== undefined || hasEnded(pod)),
    unclaimed: pods.awaited(),
  };
}
