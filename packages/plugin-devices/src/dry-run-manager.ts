/** The device manager for dry runs: allocations are not recorded, and no plugin is asked to allocate. */
import type { HintProvider } from "@hooklet/core/subsystem";
import type { TopologyOptions } from "./admission.js";
import type { DeviceManager } from "./manager/device-manager.js";
import type { Choice, Endpoint, ManagerPorts } from "./manager/ports.js";

const nothing = { envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] };

/** @param chosen called for every choice; with it, plugins are asked for their preference */
export function dryRunManager(
  manager: DeviceManager,
  ports: ManagerPorts,
  chosen?: (choice: Choice) => void,
): DeviceManager {
  const silent = { ...ports, save: () => {}, allocated: () => {}, chosen: chosen ?? (() => {}) };
  return manager.copy(silent, (endpoint) => standIn(endpoint, chosen !== undefined));
}

function standIn(endpoint: Endpoint, mayAsk: boolean): Endpoint {
  return {
    options: mayAsk ? endpoint.options : undefined,
    allocate: async () => ({ response: nothing, text: "" }),
    preferredAllocation: (question) => endpoint.preferredAllocation(question),
    preStartContainer: async () => {},
    stop: () => {},
  };
}

/** The same topology hints, without allocations. */
export function takingNothing(topology: TopologyOptions): TopologyOptions {
  const providers = topology.providers.map(
    (one): HintProvider => ({
      name: one.name,
      containerHints: (pod, container) => one.containerHints(pod, container),
      podHints: (pod) => one.podHints(pod),
      allocate: () => undefined,
    }),
  );
  return { ...topology, providers };
}
