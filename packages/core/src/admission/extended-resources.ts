/** Requests for extended resources that the node does not know (pkg/kubelet/lifecycle removeMissingExtendedResources). Pure. */

import type { Resources } from "@hooklet/manifest";
import { allContainers, type Container, isExtendedResource, type Pod } from "@hooklet/manifest";

/**
 * The pod without requests for extended resources which allocatable does not name; a resource named with 0 stays, and
 * limits always stay. The pod itself comes back when there is nothing to drop.
 */
export function removeMissingExtendedResources(pod: Pod, allocatable: Resources): Pod {
  const dropped = (name: string): boolean => isExtendedResource(name) && !Object.hasOwn(allocatable, name);
  const touched = (container: Container): boolean =>
    Object.keys(container.resources?.requests ?? {}).some((name) => dropped(name));
  if (!allContainers(pod).some(touched)) return pod;

  const strip = (container: Container): Container => {
    if (!touched(container)) return container;
    const kept = Object.entries(container.resources?.requests ?? {}).filter(([name]) => !dropped(name));
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
