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

/** The greater of all containers and sidecars together, and each init container with the sidecars before it. */
export function podDeviceRequest(pod: Pod, isDevice: (resource: string) => boolean): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(podLimits(pod)).filter(([resource]) => isDevice(resource)));
}
