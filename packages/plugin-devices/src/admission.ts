/** Allocates one pod's devices and CPUs, aligned by the topology manager's policy, all or none. Used by admission and by dry runs. */
import { allContainers, type Container, errorText, type Pod, type Rejection, type Undo } from "@hooklet/core";
import type { HintProvider } from "@hooklet/core/subsystem";
import { allocateFailed, topologyAffinityError } from "./allocation/messages.js";
import type { DeviceManager } from "./manager/device-manager.js";
import { type Alignment, align, type TopologyPolicy, type TopologyScope } from "./topology/policy.js";

export interface TopologyOptions {
  readonly policy: TopologyPolicy;
  readonly scope: TopologyScope;
  readonly machineNodes: readonly number[];
  /** Other providers of NUMA resources; called after the device manager. */
  readonly providers: readonly HintProvider[];
}

/** The effects of an admission besides its verdict. */
export interface AdmissionPorts {
  /** What gives back what a provider has taken for the pod. */
  undo(undo: Undo): void;
  /** By policy single-numa-node: something came from one NUMA node, or could not. */
  aligned(scope: TopologyScope, succeeded: boolean): void;
}

/** For dry runs, whose providers take nothing. */
export const silent: AdmissionPorts = { undo: () => {}, aligned: () => {} };

/**
 * Gives all containers of the pod their devices, init containers first. A reason against the pod, or undefined. Devices that were
 * taken before the failure are still recorded: the caller undoes it.
 */
export async function admitDevices(
  manager: DeviceManager,
  pod: Pod,
  topology: TopologyOptions,
  ports: AdmissionPorts,
): Promise<Rejection | undefined> {
  const { policy, scope, machineNodes, providers } = topology;
  const all = [manager, ...providers];
  const count = (succeeded: boolean): void => {
    if (policy === "single-numa-node") ports.aligned(scope, succeeded);
  };
  const alignFor = (container: Container): Alignment =>
    align(policy, () => all.map((one) => one.containerHints(pod, container)), machineNodes);
  const ofPod = scope === "pod" ? align(policy, () => all.map((one) => one.podHints(pod)), machineNodes) : undefined;
  for (const container of allContainers(pod)) {
    const { admit, affinity } = ofPod ?? alignFor(container);
    if (!admit) {
      count(false);
      return topologyAffinityError();
    }
    manager.setAffinity(pod.metadata.uid, container.name, affinity);
    try {
      const rejection = await allocate(manager, pod, container, affinity, providers, ports);
      if (rejection !== undefined) return rejection;
    } catch (error) {
      return allocateFailed(errorText(error));
    }
    if (ofPod === undefined) count(true);
  }
  if (ofPod !== undefined) count(true);
  return undefined;
}

async function allocate(
  manager: DeviceManager,
  pod: Pod,
  container: Container,
  affinity: readonly number[] | undefined,
  providers: readonly HintProvider[],
  { undo }: AdmissionPorts,
): Promise<Rejection | undefined> {
  await manager.allocate(pod, container);
  for (const provider of providers) {
    const result = await provider.allocate(pod, container, affinity);
    if (result?.undo !== undefined) undo(result.undo);
    if (result?.rejection !== undefined) return result.rejection;
  }
  return undefined;
}
