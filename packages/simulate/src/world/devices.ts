/** Device plugins of a scenario. They outlive agents, and register with each new one. */
import type { Device, SimulatedDevicePlugin, SimulatedDevicePlugins } from "@hooklet/plugin-devices";
import type { ScenarioFile } from "../scenario/schema.js";

type Register = (plugin: SimulatedDevicePlugin) => Promise<void>;
type Watcher = Parameters<SimulatedDevicePlugin["watch"]>[0];

interface Plugged {
  devices: readonly Device[];
  isThere: boolean;
  readonly watchers: Set<Watcher>;
}

export class Devices implements SimulatedDevicePlugins {
  readonly #plugins = new Map<string, Plugged>();
  readonly #servers = new Set<Register>();

  /** `refused`: told why the agent does not take a plugin. */
  constructor(
    devices: ScenarioFile["devices"],
    private readonly refused: (resource: string, error: unknown) => void,
  ) {
    for (const [resource, list] of Object.entries(devices)) {
      const all = list.map(({ id, numa, health }) => ({ id, health, nodes: numa === undefined ? [] : [numa].flat() }));
      this.#plugins.set(resource, { devices: all, isThere: true, watchers: new Set() });
    }
  }

  serve(register: Register): () => void {
    this.#servers.add(register);
    for (const [resource, plugged] of this.#plugins) if (plugged.isThere) this.#register(resource, plugged, register);
    return () => this.#servers.delete(register);
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
    for (const { gone } of watchers) gone();
  }

  back(resource: string): void {
    const plugged = this.#plugin(resource);
    if (plugged.isThere) return;
    plugged.isThere = true;
    for (const register of this.#servers) this.#register(resource, plugged, register);
  }

  #register(resource: string, plugged: Plugged, register: Register): void {
    const plugin: SimulatedDevicePlugin = {
      resource,
      watch(on) {
        plugged.watchers.add(on);
        on.reported(plugged.devices);
        return () => plugged.watchers.delete(on);
      },
      allocate: async (ids) => ({ envs: { [variable(resource)]: ids.join(",") } }),
    };
    register(plugin).catch((error: unknown) => this.refused(resource, error));
  }

  #plugin(resource: string): Plugged {
    const plugged = this.#plugins.get(resource);
    if (plugged === undefined) throw new Error(`the scenario has no devices of ${resource}`);
    return plugged;
  }
}

/** `VENDOR_EXAMPLE_GPU`. */
function variable(resource: string): string {
  return resource.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}
