/** What a container's status says of its resources. Pure. */
import type { Container } from "@hooklet/manifest";
import type { Said } from "../said.js";
import type { ContainerStatus } from "./types.js";

/** Of a container that exists: what is really applied, or what its manifest asks for where nobody says. */
export function resourcesOf(
  container: Container,
  said: Said,
): Pick<ContainerStatus, "allocatedResources" | "resources"> {
  const { limits, requests } = said.applied[container.name] ?? container.resources ?? {};
  return {
    ...(requests === undefined ? {} : { allocatedResources: requests }),
    resources: { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) },
  };
}

/** Health of the devices and the like that were given to it. */
export function allocatedResourcesStatus(
  container: Container,
  said: Said,
): Pick<ContainerStatus, "allocatedResourcesStatus"> {
  const status = said.allocated[container.name];
  return status === undefined ? {} : { allocatedResourcesStatus: status };
}
