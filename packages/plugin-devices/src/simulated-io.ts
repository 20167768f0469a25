/** Device plugins of a simulated node: no sockets; the checkpoint is a file as ever. */
import type { SimulatedDevicePlugin, SimulatedWorld } from "@hooklet/core";
import type { DevicesIo } from "./io.js";
import type { PluginClient } from "./registration/connections.js";
import { VERSION } from "./registration/rules.js";

export function simulatedIo(real: DevicesIo, { devicePlugins }: Pick<SimulatedWorld, "devicePlugins">): DevicesIo {
  const plugged = new Map<string, SimulatedDevicePlugin>();
  const server = (end: () => void) => ({ isThere: async () => true, stop: async () => end() });
  return {
    ...real,
    async serveRegistration(path, register) {
      const folder = path.slice(0, path.lastIndexOf("/"));
      const end = devicePlugins.serve((plugin) => {
        const endpoint = `${plugin.resource.replaceAll("/", "_")}.sock`;
        plugged.set(`${folder}/${endpoint}`, plugin);
        return register({ version: VERSION, endpoint, resourceName: plugin.resource }, folder);
      });
      return server(end);
    },
    servePodResources: async () => server(() => undefined),
    registrySockets: async () => [],
    async dial(path) {
      const plugin = plugged.get(path);
      if (plugin === undefined) throw new Error(`dial unix ${path}: connect: no such file or directory`);
      return clientOf(plugin);
    },
  };
}

function clientOf(plugin: SimulatedDevicePlugin): PluginClient {
  let unwatch: (() => void) | undefined;
  return {
    getOptions: async () => ({ preStartRequired: false, getPreferredAllocationAvailable: false }),
    preferredAllocation: async () => undefined,
    preStartContainer: async () => undefined,
    listAndWatch({ reported, ended }) {
      unwatch = plugin.watch({ reported, gone: () => ended(undefined) });
    },
    async allocate(ids) {
      const { envs } = await plugin.allocate(ids);
      const response = { envs, mounts: [], devices: [], annotations: {}, cdiDevices: [] };
      return { response, text: JSON.stringify(envs) };
    },
    close: () => unwatch?.(),
  };
}
