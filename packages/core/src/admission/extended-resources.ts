/** Requests for extended resources that the node does not know (pkg/kubelet/lifecycle removeMissingExtendedResources). Pure. */

import type { Resources } from "@hooklet/manifest";
import { allContainers, type Container, isExtendedResource, type Pod } from "@hooklet/manifest";

export interface MissingResourceOptions {
  /** The gate DRAExtendedResource; default false. Drops also what `status.extendedResourceClaimStatus` maps to a claim. */
  readonly draExtendedResource?: boolean;
}

/**
 * The pod without requests for extended resources which allocatable does not name; a resource named with 0 stays, and
 * limits always stay. The pod itself comes back when there is nothing to drop.
 */
export function removeMissingExtendedResources(
  pod: Pod,
  allocatable: Resources,
  options: MissingResourceOptions = {},
): Pod {
  const dropped = droppedBy(pod, allocatable, options);
  const touched = (container: Container): boolean => requestNames(container).some((name) => dropped(name, container));
  if (!allContainers(pod).some(touched)) return pod;

  const strip = (container: Container): Container => {
    if (!touched(container)) return container;
    const kept = Object.entries(container.resources?.requests ?? {}).filter(([name]) => !dropped(name, container));
    return { ...container, resources: { ...container.resources, requests: Object.fromEntries(kept) } };
  };
  const { containers, initContainers } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: containers.map(strip),
      ...(initContainers ? { initContainers: initContainers.map(strip) } : {}),
    },
  };
}

function requestNames(container: Container): string[] {
  return Object.keys(container.resources?.requests ?? {});
}

interface ClaimMapping {
  readonly resourceName?: string;
  readonly containerName?: string;
}

function droppedBy(
  pod: Pod,
  allocatable: Resources,
  { draExtendedResource = false }: MissingResourceOptions,
): (name: string, container: Container) => boolean {
  // The installed Kubernetes types are older than this field.
  const status = pod.status as
    | { readonly extendedResourceClaimStatus?: { requestMappings?: ClaimMapping[] } }
    | undefined;
  const mappings = draExtendedResource ? (status?.extendedResourceClaimStatus?.requestMappings ?? []) : [];
  return (name, container) =>
    (isExtendedResource(name) && !Object.hasOwn(allocatable, name)) ||
    (isDraResource(name) &&
      mappings.some((mapping) => mapping.resourceName === name && mapping.containerName === container.name));
}

/** An extended resource, or the name that every device class has of itself. */
function isDraResource(name: string): boolean {
  return isExtendedResource(name) || name.startsWith("deviceclass.resource.kubernetes.io/");
}
