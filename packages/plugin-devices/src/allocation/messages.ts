/** The kubelet's messages (pkg/kubelet/cm/devicemanager, pkg/kubelet/cm/topologymanager). Pure. */
import type { Rejection } from "@hooklet/core";

export function changedRequest(podUid: string, container: string, resource: string, from: number, to: number): string {
  const [pod, name, what] = [podUid, container, resource].map((text) => JSON.stringify(text));
  return `pod ${pod} container ${name} changed request for resource ${what} from ${from} to ${to}`;
}

export function unregistered(resource: string): string {
  return `cannot allocate unregistered device ${resource}`;
}

export function noHealthyDevices(resource: string): string {
  return `no healthy devices present; cannot allocate unhealthy devices ${resource}`;
}

export function noLongerHealthy(resource: string): string {
  return `previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`;
}

export function tooFewDevices(resource: string, requested: number, available: number): string {
  return `requested number of devices unavailable for ${resource}. Requested: ${requested}, Available: ${available}`;
}

export function unknownPlugin(resource: string): string {
  return `unknown Device Plugin ${resource}`;
}

export function endpointStopped(resource: string): string {
  return `endpoint ${resource} has been stopped`;
}

export function noContainersReturned(response: string): string {
  return `no containers return in allocation response ${response}`;
}

export function preferredFailed(why: string): string {
  return `device plugin GetPreferredAllocation rpc failed with err: ${why}`;
}

export function preStartFailed(why: string): string {
  return `device plugin PreStartContainer rpc failed with err: ${why}`;
}

export function endpointNotFound(resource: string): string {
  return `endpoint not found in cache for a registered resource: ${resource}`;
}

export function nothingAllocated(podUid: string, container: string, resource: string): string {
  return `no devices found allocated in local cache for pod ${podUid}, container ${container}, resource ${resource}`;
}

/** A pod whose devices could not be allocated. */
export function allocateFailed(why: string): Rejection {
  return {
    reason: "UnexpectedAdmissionError",
    message: `Allocate failed due to ${why}, which is unexpected`,
  };
}

/** The policy of the topology manager refuses the only NUMA nodes that are left. */
export function topologyAffinityError(): Rejection {
  return { reason: "TopologyAffinityError", message: "Resources cannot be allocated with Topology locality" };
}
