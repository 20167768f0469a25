/** Where the devices of a container, or of a whole pod, could come from (ManagerImpl.GetTopologyHints). Pure. */
import type { Container, Pod } from "@hooklet/core";
import type { ResourceHints } from "@hooklet/core/subsystem";
import { podDeviceRequest } from "../device/device.js";
import { deviceIds } from "../device/pod-devices.js";
import { resourceHints } from "../topology/hints.js";
import type { DeviceState } from "./device-state.js";

/** By resource; devices of the pod's earlier init containers count as free for it. */
export function containerHints(
  state: DeviceState,
  pod: Pod,
  container: Container,
  machineNodes: readonly number[],
): ReadonlyMap<string, ResourceHints> {
  const { uid } = pod.metadata;
  return hintsOf(state, state.requests(container), machineNodes, (resource) => ({
    had: state.ids(uid, container.name, resource) ?? [],
    reusable: [...state.reusable.of(uid, resource)],
  }));
}

/** By resource, for all containers together, without reuse. */
export function podHints(
  state: DeviceState,
  pod: Pod,
  machineNodes: readonly number[],
): ReadonlyMap<string, ResourceHints> {
  const requests = Object.entries(podDeviceRequest(pod, (resource) => state.isDeviceResource(resource)));
  const records = state.records.ofPod(pod.metadata.uid);
  return hintsOf(state, requests, machineNodes, (resource) => {
    const own = records.filter((one) => one.resource === resource);
    return { had: [...new Set(own.flatMap(({ devices }) => deviceIds(devices)))], reusable: [] };
  });
}

function hintsOf(
  { records, inventory }: DeviceState,
  requests: readonly (readonly [resource: string, request: number])[],
  machineNodes: readonly number[],
  own: (resource: string) => { readonly had: readonly string[]; readonly reusable: readonly string[] },
): ReadonlyMap<string, ResourceHints> {
  return new Map(
    requests.map(([resource, request]) => {
      const used = records.inUse(resource);
      const known = inventory.get(resource);
      const taken = (id: string): boolean => used.has(id);
      return [resource, resourceHints({ machineNodes, known, taken, request, ...own(resource) })];
    }),
  );
}
