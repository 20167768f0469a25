/** What a container's status says of its resources. Pure. */
import type { Container } from "@hooklet/manifest";
import type { StatusOverrides } from "../status-overrides.js";
import type { ContainerStatus } from "./types.js";

/** Of a container that exists: what is really applied, or what its manifest asks for where nobody says. */
export function resourcesOf(
  container: Container,
  said: StatusOverrides,
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
  said: StatusOverrides,
): Pick<ContainerStatus, "allocatedResourcesStatus"> {
  const all = Object.values(said.allocated[container.name] ?? {});
  return all.length === 0 ? {} : { allocatedResourcesStatus: all.reduce(withResourceStatus) };
}

/** What one manager says of its resources written into what others have said: entries of the same name are replaced in place. */
export function withResourceStatus<Status extends { readonly name: string }>(
  before: readonly Status[],
  own: readonly Status[],
): readonly Status[] {
  const byName = new Map(own.map((status) => [status.name, status]));
  const names = new Set(before.map(({ name }) => name));
  return [...before.map((status) => byName.get(status.name) ?? status), ...own.filter(({ name }) => !names.has(name))];
}
