/** Device plugins of a scenario. They outlive agents, and register with each new one. */
import type { Device, DevicesIo, PluginClient, RunningServer } from "@hooklet/plugin-devices";
import type { ScenarioFile } from "../scenario/schema.js";

type Watcher = Parameters<PluginClient["listAndWatch"]>[0];

interface Plugged {
  devices: readonly Device[];
  isThere: boolean;
  readonly watchers: Set<Watcher>;
}

export class Devices {
  readonly #plugins = new Map<string, Plugged>();
  /** Each registers a resource with one agent. */
  readonly #servers = new Set<(resource: string) => Promise<void>>();

  /** `refused`: called with the reason why the agent does not take a plugin. */
  constructor(
    private readonly real: DevicesIo,
    devices: ScenarioFile["devices"],
    private readonly refused: (resource: string, error: unknown) => void,
  ) {
    for (const [resource, list] of Object.entries(devices)) {
      const all = list.map(({ id, numa, health }) => ({ id, health, nodes: numa === undefined ? [] : [numa].flat() }));
      this.#plugins.set(resource, { devices: all, isThere: true, watchers: new Set() });
    }
  }

  /** Before the agent starts: virtual time waits for no import. */
  load(): Promise<void> {
    return this.real.codec.load();
  }

  /** What the device manager finds in place of sockets; its checkpoint is a file as ever. */
  io(): DevicesIo {
    return {
      ...this.real,
      serveRegistration: async (path, register) => {
        const folder = path.slice(0, path.lastIndexOf("/"));
        const server = (resource: string): Promise<void> =>
          register({ version: "v1beta1", endpoint: endpointOf(resource), resourceName: resource }, folder);
        this.#servers.add(server);
        for (const [resource, { isThere }] of this.#plugins) if (isThere) this.#register(resource, server);
        return running(() => this.#servers.delete(server));
      },
      servePodResources: async () => running(() => undefined),
      registrySockets: async () => [],
      dial: async (path) => {
        const found = [...this.#plugins].find(([resource]) => path.endsWith(`/${endpointOf(resource)}`));
        if (found === undefined) throw new Error(`dial unix ${path}: connect: no such file or directory`);
        return clientOf(...found);
      },
    };
  }

  setHealth(resource: string, id: string, health: string): void {
    const plugged = this.#plugin(resource);
    plugged.devices = plugged.devices.map((device) => (device.id === id ? { ...device, health } : device));
    for (const { reported } of plugged.watchers) reported(plugged.devices);
  }

  end(resource: string): void {
    const plugged = this.#plugin(resource);
    plugged.isThere = false;
    const watchers = [...plugged.watchers];
    plugged.watchers.clear();
    for (const { ended } of watchers) ended(undefined);
  }

  back(resource: string): void {
    const plugged = this.#plugin(resource);
    if (plugged.isThere) return;
    plugged.isThere = true;
    for (const server of this.#servers) this.#register(resource, server);
  }

  #register(resource: string, server: (resource: string) => Promise<void>): void {
    server(resource).catch((error: unknown) => this.refused(resource, error));
  }

  #plugin(resource: string): Plugged {
    const plugged = this.#plugins.get(resource);
    if (plugged === undefined) throw new Error(`the scenario has no devices of ${resource}`);
    return plugged;
  }
}

function endpointOf(resource: string): string {
  return `${resource.replaceAll("/", "_")}.sock`;
}

function running(end: () => void): RunningServer {
  return { isThere: async () => true, stop: async () => end() };
}

function clientOf(resource: string, plugged: Plugged): PluginClient {
  let watcher: Watcher | undefined;
  return {
    getOptions: async () => ({ preStartRequired: false, getPreferredAllocationAvailable: false }),
    preferredAllocation: async () => undefined,
    preStartContainer: async () => undefined,
    listAndWatch(on) {
      watcher = on;
      plugged.watchers.add(on);
      on.reported(plugged.devices);
    },
    async allocate(ids) {
      const envs = { [variable(resource)]: ids.join(",") };
      const response = { envs, mounts: [], devices: [], annotations: {}, cdiDevices: [] };
      return { response, text: JSON.stringify(envs) };
    },
    close() {
      if (watcher !== undefined) plugged.watchers.delete(watcher);
    },
  };
}

/** `VENDOR_EXAMPLE_GPU`. */
function variable(resource: string): string {
  return resource.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}
