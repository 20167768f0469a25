/** What pods ask of device resources. Their limits count: extended resources cannot be overcommitted. Pure. */
import type { Container, Pod } from "@hooklet/core";
import { parseList, podLimits, toResources } from "@hooklet/core/rules";

/** Resource and count, in the order of the manifest. @throws Error naming the resource when a quantity is malformed */
export function containerDevices(
  container: Container,
  isDevice: (resource: string) => boolean,
): readonly (readonly [resource: string, count: number])[] {
  const limits = container.resources?.limits;
  if (limits === undefined) return [];
  return Object.entries(toResources(parseList(limits))).filter(([resource]) => isDevice(resource));
}

interface ClaimMapping {
  readonly containerName?: string;
  readonly resourceName?: string;
}

/** Whether dynamic resource allocation provides this resource of the container (gate DRAExtendedResource). */
export function isLeftToDra(pod: Pod, container: string, resource: string): boolean {
  // The installed Kubernetes types are older than this field.
  const status = pod.status as
    | { readonly extendedResourceClaimStatus?: { readonly requestMappings?: readonly ClaimMapping[] } }
    | undefined;
  const mappings = status?.extendedResourceClaimStatus?.requestMappings ?? [];
  return mappings.some((one) => one.containerName === container && one.resourceName === resource);
}

/** The greater of all containers and sidecars together, and each init container with the sidecars before it. */
export function podDeviceRequest(pod: Pod, isDevice: (resource: string) => boolean): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(podLimits(pod)).filter(([resource]) => isDevice(resource)));
}
