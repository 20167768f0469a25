/** What the pod resources API says (pkg/kubelet/apis/podresources). Pure; memory is not pinned here. */
import type { Container, Pod } from "@hooklet/core";
import type { Device } from "./device/device.js";
import { type Allocation, nodesById } from "./device/pod-devices.js";

export interface PodResources {
  readonly name: string;
  readonly namespace: string;
  readonly containers: readonly ContainerResources[];
}

export interface ContainerResources {
  readonly name: string;
  /** One entry for each device, as the kubelet has it. */
  readonly devices: readonly ContainerDevices[];
  /** The CPUs that are the container's alone. */
  readonly cpuIds: readonly number[];
}

export interface AllocatableResources {
  readonly devices: readonly ContainerDevices[];
  readonly cpuIds: readonly number[];
}

export interface ContainerDevices {
  readonly resourceName: string;
  readonly deviceIds: readonly string[];
  /** Null without topology. */
  readonly topology: { readonly nodes: readonly { readonly ID: number }[] } | null;
}

/** Sidecars first, then the containers; init containers that end are left out. */
export function podResources(
  pod: Pod,
  records: (container: string) => readonly Allocation[],
  cpus: (container: string) => readonly number[],
): PodResources {
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const container = ({ name }: Container): ContainerResources => ({
    name,
    devices: records(name).flatMap(devicesOf),
    cpuIds: cpus(name),
  });
  return {
    name: pod.metadata.name,
    namespace: pod.metadata.namespace,
    containers: [...sidecars, ...pod.spec.containers].map(container),
  };
}

export function allocatableDevices(devices: ReadonlyMap<string, readonly Device[]>): readonly ContainerDevices[] {
  return [...devices].flatMap(([resource, own]) => own.map(({ id, nodes }) => entry(resource, id, nodes)));
}

function devicesOf({ resource, devices }: Allocation): readonly ContainerDevices[] {
  return [...nodesById(devices)].map(([id, nodes]) => entry(resource, id, nodes));
}

function entry(resourceName: string, id: string, nodes: readonly number[]): ContainerDevices {
  const topology = nodes.length === 0 ? null : { nodes: nodes.map((ID) => ({ ID })) };
  return { resourceName, deviceIds: [id], topology };
}
