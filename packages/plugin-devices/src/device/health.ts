/** Health of a container's devices for its status (ResourceHealthStatus, `allocatedResourcesStatus`). Pure. */

import { type Device, HEALTHY, isHealthy, UNHEALTHY } from "./device.js";
import { type Allocation, deviceIds } from "./pod-devices.js";

export interface ResourceStatus {
  readonly name: string;
  readonly resources: readonly { readonly resourceID: string; readonly health: "Healthy" | "Unhealthy" }[];
}

/** Devices that the last report did not name count as healthy. */
export function allocatedResourcesStatus(
  allocations: readonly Pick<Allocation, "resource" | "devices">[],
  device: (resource: string, id: string) => Pick<Device, "health"> | undefined,
): readonly ResourceStatus[] {
  return allocations.map(({ resource, devices }) => ({
    name: resource,
    resources: deviceIds(devices).map((id) => {
      const found = device(resource, id);
      return { resourceID: id, health: found === undefined || isHealthy(found) ? HEALTHY : UNHEALTHY };
    }),
  }));
}

/** The ids whose health is another one than before, or that are new, or back. */
export function changedHealth(
  before: ReadonlyMap<string, Device>,
  now: ReadonlyMap<string, Device>,
): readonly string[] {
  return [...now.values()]
    .filter((device) => {
      const earlier = before.get(device.id);
      return earlier === undefined || isHealthy(earlier) !== isHealthy(device);
    })
    .map(({ id }) => id);
}
