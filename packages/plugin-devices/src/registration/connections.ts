/** The connections to device plugins: one for each resource, made when a plugin registers. */
import { type Clock, errorText, withDeadline } from "@hooklet/core";
import type { Device, PluginOptions } from "../device/device.js";
import type { Endpoint } from "../manager/ports.js";
import { dialPath, type RegisterRequest, registrationFault } from "./rules.js";

/** Milliseconds, as in the kubelet. */
const DIAL_TIMEOUT = 10_000;
/** Registrations under way at the same time; more than any node has plugins. */
const MAX_PENDING = 256;

/** A plugin at the other end of a socket. */
export interface PluginClient extends Omit<Endpoint, "options" | "stop"> {
  getOptions(): Promise<PluginOptions>;
  /** Calls back with each complete list; `ended` comes once. */
  listAndWatch(on: { reported(devices: readonly Device[]): void; ended(error: Error | undefined): void }): void;
  close(): void;
}

export interface ConnectionPorts {
  readonly clock: Clock;
  /** Resolves once it is connected; gives up when `signal` aborts. */
  dial(path: string, resource: string, signal: AbortSignal): Promise<PluginClient>;
  connected(resource: string, endpoint: Endpoint): void;
  reported(resource: string, devices: readonly Device[]): void;
  /** The plugin's stream has ended. Not called for a replaced one. */
  disconnected(resource: string, endpoint: Endpoint, error: Error | undefined): void;
}

export class Connections {
  readonly #clients = new Map<string, Endpoint>();
  #pending = 0;
  #stopped = false;

  constructor(private readonly ports: ConnectionPorts) {}

  /** The resources whose plugins are connected. */
  resources(): readonly string[] {
    return [...this.#clients.keys()].sort();
  }

  /** A call of `Register`. Rejects with the error for the plugin. @param directory of the registration socket */
  async register(request: RegisterRequest, directory: string): Promise<void> {
    const fault = registrationFault(request);
    if (fault !== undefined) throw new Error(fault);
    await this.connect(request.resourceName, dialPath(directory, request.endpoint));
  }

  /** Connects to the plugin of a resource; it takes the place of the one before. */
  async connect(resource: string, path: string): Promise<void> {
    if (this.#pending >= MAX_PENDING) throw new Error(`${MAX_PENDING} registrations are under way: try again later`);
    this.#pending++;
    try {
      const client = await this.#dial(path, resource);
      try {
        const options = await client.getOptions().catch((error: unknown) => {
          throw new Error(`failed to get device plugin options: ${errorText(error)}`, { cause: error });
        });
        if (this.#stopped) throw new Error("the device manager has stopped");
        this.#connected(resource, client, options);
      } catch (error) {
        client.close();
        throw error;
      }
    } finally {
      this.#pending--;
    }
  }

  /** Ends the connection of the resource, as when its socket has gone. */
  disconnect(resource: string): void {
    const endpoint = this.#clients.get(resource);
    if (endpoint === undefined) return;
    this.#clients.delete(resource);
    this.ports.disconnected(resource, endpoint, undefined);
    endpoint.stop();
  }

  stop(): void {
    this.#stopped = true;
    for (const endpoint of this.#clients.values()) endpoint.stop();
    this.#clients.clear();
  }

  async #dial(path: string, resource: string): Promise<PluginClient> {
    const abort = new AbortController();
    try {
      const dialled = this.ports.dial(path, resource, abort.signal);
      return await withDeadline(this.ports.clock, DIAL_TIMEOUT, dialled, () => new Error("context deadline exceeded"));
    } catch (error) {
      abort.abort(error);
      throw new Error(`failed to dial device plugin: ${errorText(error)}`, { cause: error });
    }
  }

  #connected(resource: string, client: PluginClient, options: PluginOptions): void {
    const endpoint: Endpoint = {
      options,
      allocate: (ids) => client.allocate(ids),
      preferredAllocation: (question) => client.preferredAllocation(question),
      preStartContainer: (ids) => client.preStartContainer(ids),
      stop: () => client.close(),
    };
    this.ports.connected(resource, endpoint);
    const before = this.#clients.get(resource);
    this.#clients.set(resource, endpoint);
    before?.stop();
    client.listAndWatch({
      reported: (devices) => {
        if (this.#clients.get(resource) === endpoint) this.ports.reported(resource, devices);
      },
      ended: (error) => {
        client.close();
        if (this.#clients.get(resource) !== endpoint) return;
        this.#clients.delete(resource);
        this.ports.disconnected(resource, endpoint, error);
      },
    });
  }
}
