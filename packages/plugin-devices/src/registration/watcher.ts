/** Plugins that are found by their socket in `plugins_registry` (pkg/kubelet/pluginmanager): pure bookkeeping and the calls. */
import { type Clock, errorText } from "@hooklet/core";
import { watchedPluginFault } from "./rules.js";

/** Milliseconds until a socket that failed is tried again: doubled each time, up to the second. */
const FIRST_RETRY = 1_000;
const LAST_RETRY = 120_000;
const TYPE = "DevicePlugin";

/** A socket of the folder. */
export interface FoundSocket {
  readonly path: string;
  /** Another text: another socket at the same place. */
  readonly identity: string;
}

export interface PluginInfo {
  readonly type: string;
  readonly name: string;
  /** Of the plugin's own service; empty: the same socket. */
  readonly endpoint: string;
  readonly supportedVersions: readonly string[];
}

export interface WatcherPorts {
  readonly clock: Pick<Clock, "monotonic">;
  getInfo(path: string): Promise<PluginInfo>;
  /** Tells the plugin whether it is registered. */
  notify(path: string, error: string | undefined): Promise<void>;
  connect(resource: string, path: string): Promise<void>;
  disconnect(resource: string): void;
  failed(path: string, why: string): void;
}

interface Known {
  readonly identity: string;
  resource: string | undefined;
  retryAt: number;
  retry: number;
  busy: boolean;
}

export class PluginWatcher {
  readonly #known = new Map<string, Known>();

  constructor(private readonly ports: WatcherPorts) {}

  /** Compares with the folder: calls GetInfo on new sockets, drops those that are gone. Resolves when all is done. */
  async look(sockets: readonly FoundSocket[]): Promise<void> {
    const there = new Map(sockets.map((socket) => [socket.path, socket.identity]));
    for (const [path, known] of this.#known) {
      if (there.get(path) === known.identity) continue;
      this.#known.delete(path);
      if (known.resource !== undefined) this.ports.disconnect(known.resource);
    }
    await Promise.all(sockets.map((socket) => this.#visit(socket)));
  }

  async #visit({ path, identity }: FoundSocket): Promise<void> {
    const now = this.ports.clock.monotonic();
    let known = this.#known.get(path);
    if (known === undefined) {
      known = { identity, resource: undefined, retryAt: now, retry: FIRST_RETRY, busy: false };
      this.#known.set(path, known);
    }
    if (known.busy || known.resource !== undefined || now < known.retryAt) return;
    known.busy = true;
    try {
      known.resource = await this.#register(path);
    } catch (error) {
      known.retryAt = this.ports.clock.monotonic() + known.retry;
      known.retry = Math.min(2 * known.retry, LAST_RETRY);
      this.ports.failed(path, errorText(error));
    } finally {
      known.busy = false;
    }
  }

  async #register(path: string): Promise<string> {
    const info = await this.ports.getInfo(path);
    const fail = async (why: string): Promise<never> => {
      const text = `RegisterPlugin error -- ${why}`;
      await this.ports.notify(path, text);
      throw new Error(text);
    };
    if (info.type !== TYPE) {
      return fail(`no handler registered for plugin type: ${info.type} at socket ${path}`);
    }
    const fault = watchedPluginFault(info.name, info.supportedVersions);
    if (fault !== undefined) return fail(`plugin validation failed with err: ${fault}`);
    try {
      await this.ports.connect(info.name, info.endpoint === "" ? path : info.endpoint);
    } catch (error) {
      return fail(`plugin registration failed with err: ${errorText(error)}`);
    }
    await this.ports.notify(path, undefined);
    return info.name;
  }
}
