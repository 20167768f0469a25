/** Devices in a container's annotation. When the checkpoint is lost, the records are restored from the running containers. */

import { hasEnded, type NodeContext, type Pod } from "@hooklet/core";
import type { CheckpointEntry } from "./checkpoint/format.js";
import type { Allocation } from "./device/pod-devices.js";
import type { Leaving } from "./waiting.js";

/** On the runtime's container. */
export const ANNOTATION = "devices.hooklet.dev/allocations";
/** Bytes; a larger one is left out: the runtime keeps it in memory for each container. */
const MAX_BYTES = 64 * 1024;

/** Undefined: there is nothing to say, or too much. */
export function recoveryAnnotation(allocations: readonly Allocation[]): string | undefined {
  const entries = allocations.flatMap(({ resource, devices, encoded }) =>
    encoded === undefined ? [] : [[resource, { devices: Object.fromEntries(devices), response: encoded }] as const],
  );
  if (entries.length === 0) return undefined;
  const text = JSON.stringify(Object.fromEntries(entries));
  return Buffer.byteLength(text) > MAX_BYTES ? undefined : text;
}

/** The records in the annotation; none when it is not ours or damaged. */
export function recoveredEntries(
  podUid: string,
  container: string,
  annotation: string | undefined,
): readonly CheckpointEntry[] {
  if (annotation === undefined) return [];
  try {
    const parsed = JSON.parse(annotation) as Record<string, { devices?: Record<string, unknown>; response?: unknown }>;
    return Object.entries(parsed).map(([resource, { devices = {}, response }]) => {
      if (typeof response !== "string") throw new Error("no response");
      const places = Object.entries(devices).map(([node, ids]) => {
        if (!Number.isSafeInteger(Number(node)) || !Array.isArray(ids)) throw new Error("no ids by NUMA node");
        return [Number(node), ids.map(String)] as const;
      });
      return { podUid, container, resource, devices: new Map(places), response };
    });
  } catch {
    // Not our annotation: the devices are allocated again when the container next starts.
    return [];
  }
}

// Which pods hold the recorded devices, and which are about to release them.

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
