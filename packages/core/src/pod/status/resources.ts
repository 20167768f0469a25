/** The resources in a container's status. Pure. */
import type { Container } from "@hooklet/manifest";
import type { StatusOverrides } from "../status-overrides.js";
import type { ContainerStatus } from "./types.js";

/** For an existing container: the applied resources, or those of its manifest where they are unknown. */
export function resourcesOf(
  container: Container,
  overrides: StatusOverrides,
): Pick<ContainerStatus, "allocatedResources" | "resources"> {
  const { limits, requests } = overrides.applied[container.name] ?? container.resources ?? {};
  return {
    ...(requests === undefined ? {} : { allocatedResources: requests }),
    resources: { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) },
  };
}

/** Health of the devices and the like that were given to it. */
export function allocatedResourcesStatus(
  container: Container,
  overrides: StatusOverrides,
): Pick<ContainerStatus, "allocatedResourcesStatus"> {
  const all = Object.values(overrides.allocated[container.name] ?? {});
  return all.length === 0 ? {} : { allocatedResourcesStatus: all.reduce(withResourceStatus) };
}

/** Merges the resource status of one manager into that of others: entries of the same name are replaced in place. */
export function withResourceStatus<Status extends { readonly name: string }>(
  before: readonly Status[],
  own: readonly Status[],
): readonly Status[] {
  const byName = new Map(own.map((status) => [status.name, status]));
  const names = new Set(before.map(({ name }) => name));
  return [...before.map((status) => byName.get(status.name) ?? status), ...own.filter(({ name }) => !names.has(name))];
}
