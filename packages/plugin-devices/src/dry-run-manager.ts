/** The device manager to try things out on: what it gives is given to nobody, and no plugin is asked to allocate. */
import type { HintProvider } from "@hooklet/core/subsystem";
import type { TopologyOptions } from "./admission.js";
import type { Endpoint } from "./endpoint.js";
import type { DeviceManager } from "./manager/manager.js";
import type { Choice, ManagerPorts } from "./manager/ports.js";

const nothing = { envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] };

/** @param chosen hears of every choice; plugins are asked what they prefer only where somebody wants to know */
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

/** The same say in the alignment, and nothing is taken. */
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
