/** Device plugins of a simulated node: no sockets; the checkpoint is a file as ever. */
import type { Device } from "./device/types.js";
import type { DevicesIo } from "./io.js";
import type { PluginClient } from "./registration/connections.js";
import { VERSION } from "./registration/rules.js";

/** Part `devicePlugins` of a simulated world: those of the node. */
export interface SimulatedDevicePlugins {
  /** Calls back for each plugin that is there, at once, and for each that comes; it rejects when the plugin is refused. Returns what ends that. */
  serve(register: (plugin: SimulatedDevicePlugin) => Promise<void>): () => void;
}

export interface SimulatedDevicePlugin {
  readonly resource: string;
  /** Calls back with the whole list, at once and after each change; `gone` when the plugin ends. Returns what ends that. */
  watch(on: { reported(devices: readonly Device[]): void; gone(): void }): () => void;
  /** What a container gets for these devices. Rejects with the plugin's error. */
  allocate(ids: readonly string[]): Promise<{ readonly envs: Readonly<Record<string, string>> }>;
}

export function simulatedIo(real: DevicesIo, devicePlugins: SimulatedDevicePlugins): DevicesIo {
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
