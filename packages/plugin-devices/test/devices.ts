/** Devices, pods and plugins for tests. */
import type { Container, Pod } from "@hooklet/core";
import type { AllocateResponse, Device } from "../src/device/device.js";
import { responseCodec } from "../src/grpc/convert.js";
import { DeviceManager } from "../src/manager/device-manager.js";
import type { Endpoint, ManagerPorts } from "../src/manager/ports.js";
import { kubelet } from "../src/strategies/built-in.js";

export const GPU = "vendor.example/gpu";

export const nothing: AllocateResponse = { envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] };

export function device(id: string, nodes: readonly number[] = [], health = "Healthy"): Device {
  return { id, nodes, health };
}

/** `gpu-0` and on, on the NUMA nodes in turn; no nodes: without topology. */
export function devices(count: number, nodes: readonly number[] = []): readonly Device[] {
  return Array.from({ length: count }, (_, index) => {
    const node = nodes[index % nodes.length];
    return device(`gpu-${index}`, node === undefined ? [] : [node]);
  });
}

export function podOf(uid: string, containers: readonly (Partial<Container> & { readonly gpus?: number })[]): Pod {
  const made = containers.map(({ gpus, ...container }, index) => ({
    name: `c${index}`,
    ...(gpus === undefined ? {} : { resources: { limits: { [GPU]: String(gpus) } } }),
    ...container,
  }));
  return { metadata: { uid, name: uid, namespace: "default" }, spec: { containers: made as Container[] } };
}

export function endpoint(parts: Partial<Endpoint> = {}): Endpoint {
  return {
    options: { preStartRequired: false, getPreferredAllocationAvailable: false },
    allocate: async (ids) => ({ response: { ...nothing, envs: { IDS: ids.join(",") } }, text: "" }),
    preferredAllocation: async () => undefined,
    preStartContainer: async () => {},
    stop: () => {},
    ...parts,
  };
}

export interface TestWorld {
  now: number;
  sourcesReady: boolean;
  readonly active: Set<string>;
}

export function managerOf(parts: Partial<ManagerPorts> = {}, world: Partial<TestWorld> = {}) {
  const state: TestWorld = { now: 0, sourcesReady: true, active: new Set(), ...world };
  const manager = new DeviceManager({
    now: () => state.now,
    sourcesReady: () => state.sourcesReady,
    wasRunning: () => false,
    activePods: () => state.active,
    machineNodes: () => [0, 1],
    strategy: kubelet,
    codec: responseCodec,
    save: () => {},
    ...parts,
  });
  return { manager, world: state };
}

/** The ids that the container has. */
export function idsOf(manager: DeviceManager, podUid: string, container = "c0"): readonly string[] {
  const record = manager.records.get(podUid, container, GPU);
  return record === undefined ? [] : [...new Set([...record.devices.values()].flat())].sort();
}
