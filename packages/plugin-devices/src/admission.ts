/** One pod's devices: aligned as the topology manager's policy asks, and all or none. Used by admission and by the dry run. */
import type { Pod, Rejection } from "@hooklet/core";
import { allocateFailed, topologyAffinityError } from "./allocation/words.js";
import type { DeviceManager } from "./manager.js";
import { align, type TopologyPolicy, type TopologyScope } from "./topology/policy.js";

export interface TopologyOptions {
  readonly policy: TopologyPolicy;
  readonly scope: TopologyScope;
  readonly machineNodes: readonly number[];
}

/**
 * Gives all containers of the pod their devices, init containers first. A reason against the pod, or undefined. What was
 * taken before the failure is still recorded: the caller undoes it.
 */
export async function admitDevices(
  manager: DeviceManager,
  pod: Pod,
  { policy, scope, machineNodes }: TopologyOptions,
): Promise<Rejection | undefined> {
  const { uid } = pod.metadata;
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const ofPod = policy !== "none" && scope === "pod" ? align(policy, manager.podHints(pod), machineNodes) : undefined;
  if (ofPod?.admit === false) return topologyAffinityError();
  for (const container of containers) {
    if (policy !== "none") {
      const own = ofPod ?? align(policy, manager.containerHints(pod, container), machineNodes);
      if (!own.admit) return topologyAffinityError();
      manager.setAffinity(uid, container.name, own.affinity);
    }
    try {
      await manager.allocate(pod, container);
    } catch (error) {
      return allocateFailed(error instanceof Error ? error.message : String(error));
    }
  }
  return undefined;
}
