/** Devices as plugins report them, what pods and the node count of them, and what a plugin answers for a container. Pure. */

import type { Container, Pod } from "@hooklet/core";
import { parseList, podLimits, toResources } from "@hooklet/core/rules";

/** One device of a resource. */
export interface Device {
  readonly id: string;
  /** Health as the plugin reports it. Exactly `Healthy` is healthy. */
  readonly health: string;
  /** NUMA nodes it is near to; empty without topology. */
  readonly nodes: readonly number[];
}

export const HEALTHY = "Healthy";
export const UNHEALTHY = "Unhealthy";

export function isHealthy({ health }: Pick<Device, "health">): boolean {
  return health === HEALTHY;
}

/** What `GetDevicePluginOptions` says. */
export interface PluginOptions {
  readonly preStartRequired: boolean;
  readonly getPreferredAllocationAvailable: boolean;
}

/** What `Allocate` answers for one container (ContainerAllocateResponse). */
export interface AllocateResponse {
  readonly envs: Readonly<Record<string, string>>;
  readonly mounts: readonly DeviceMount[];
  readonly devices: readonly DeviceNode[];
  readonly annotations: Readonly<Record<string, string>>;
  /** Fully qualified CDI names: `vendor.example/class=name`. */
  readonly cdiDevices: readonly string[];
}

export interface DeviceMount {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly readOnly: boolean;
}

export interface DeviceNode {
  readonly containerPath: string;
  readonly hostPath: string;
  /** Any of r, w, m. */
  readonly permissions: string;
}

/** Device ids by NUMA node, -1 for those without topology. A device near to two nodes stands under both. */
export type DevicesPerNuma = ReadonlyMap<number, readonly string[]>;

/** The key of `DevicesPerNuma` for devices without topology. */
export const NO_NODE = -1;

/**
 * What the node must count as allocatable while a pod with devices is admitted: at least what is allocated, also when its plugin is away
 * (ManagerImpl.sanitizeNodeAllocatable). `allocated`: devices in use by resource.
 */
export function sanitizeAllocatable(
  allocatable: Readonly<Record<string, number>>,
  allocated: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const raised = Object.entries(allocated).filter(([resource, count]) => {
    const given = allocatable[resource];
    return given === undefined || given < count;
  });
  return { ...allocatable, ...Object.fromEntries(raised) };
}

// What pods ask of device resources. Their limits count: extended resources cannot be overcommitted.

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
