/** Everything that listens and dials: registration, the watched folder, the pod resources API. */
import { join } from "node:path";
import { errorText, type HealthPart, type NodeContext, type Pod } from "@hooklet/core";
import { isExtendedResource } from "@hooklet/core/rules";
import type { PodResourcesSource } from "./grpc/servers.js";
import type { RunningServer } from "./grpc/sockets.js";
import type { DevicesIo } from "./io.js";
import type { DeviceManager } from "./manager/device-manager.js";
import type { DeviceMetrics } from "./metrics.js";
import type { Folders } from "./options.js";
import { allocatableDevices, type PodResources, podResources } from "./pod-resources.js";
import { Connections } from "./registration/connections.js";
import { registrationHealth } from "./registration/rules.js";
import { PluginWatcher } from "./registration/watcher.js";

const SOCKET = "kubelet.sock";

export interface ServerEvents {
  /** A plugin has reported; these ids are new or have another health. */
  reported(resource: string, changed: readonly string[]): void;
  /** A plugin has come or gone. */
  changed(): void;
}

/** A server that is created again when its socket is removed. */
interface Slot {
  readonly what: string;
  readonly serve: () => Promise<RunningServer>;
  running: RunningServer | undefined;
  failure: string | undefined;
}

export class PluginServers {
  readonly #connections: Connections;
  readonly #watcher: PluginWatcher;
  readonly #registration: Slot;
  readonly #podResources: Slot;
  #looking = false;

  constructor(
    private readonly ctx: NodeContext,
    private readonly folders: Folders,
    private readonly io: DevicesIo,
    private readonly manager: DeviceManager,
    metrics: DeviceMetrics,
    events: ServerEvents,
  ) {
    const { clock, log } = ctx;
    this.#connections = new Connections({
      clock,
      dial: async (path, _, signal) => {
        await io.codec.load();
        return io.dial(path, signal);
      },
      connected(resource, endpoint) {
        log.info(`device plugin of ${resource} is connected`);
        manager.connected(resource, endpoint);
        events.changed();
      },
      reported: (resource, devices) => events.reported(resource, manager.reported(resource, devices)),
      disconnected(resource, endpoint, error) {
        if (!manager.disconnected(resource, endpoint)) return;
        const why = error === undefined ? "" : `: ${errorText(error)}`;
        log.warn(`device plugin of ${resource} is gone${why}`);
        ctx.events.node(
          "Warning",
          "DevicePluginGone",
          `listAndWatch ended unexpectedly for device plugin ${resource}${why}`,
        );
        events.changed();
      },
    });
    this.#watcher = new PluginWatcher({
      clock,
      getInfo: (path) => io.getInfo(path),
      notify: (path, error) => io.notify(path, error),
      connect: (resource, path) => this.#connections.connect(resource, path),
      disconnect: (resource) => this.#connections.disconnect(resource),
      failed: (path, why) => log.warn(`plugin at ${path} is not registered: ${why}`),
    });
    this.#registration = {
      what: "registration of device plugins",
      serve: () =>
        io.serveRegistration(join(folders.devicePlugins, SOCKET), (request, folder) => {
          if (isExtendedResource(request.resourceName)) metrics.registered(request.resourceName);
          return this.#connections.register(request, folder);
        }),
      running: undefined,
      failure: undefined,
    };
    this.#podResources = {
      what: "the pod resources API",
      serve: () => io.servePodResources(join(folders.podResources, SOCKET), this.#source(metrics)),
      running: undefined,
      failure: undefined,
    };
  }

  /** What cannot be served now is tried again with each refresh. Never rejects. */
  async open(): Promise<void> {
    await this.refresh();
  }

  async refresh(): Promise<void> {
    for (const slot of [this.#registration, this.#podResources]) await this.#keep(slot);
  }

  /** Reads the watched folder. */
  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      await this.#watcher.look(await this.io.registrySockets(this.folders.pluginRegistry));
    } finally {
      this.#looking = false;
    }
  }

  /** As the kubelet's part `device-plugin`; with how many plugins there are. */
  health(): HealthPart {
    const { ok, message } = registrationHealth(this.#registration.failure);
    if (!ok) return { ok, ...(message === undefined ? {} : { message }) };
    const count = this.#connections.resources().length;
    const other = this.#podResources.failure;
    return { ok: true, message: `${count} plugins${other === undefined ? "" : `; no pod resources API: ${other}`}` };
  }

  async stop(): Promise<void> {
    this.#connections.stop();
    for (const slot of [this.#registration, this.#podResources]) {
      await slot.running?.stop();
      slot.running = undefined;
    }
  }

  async #keep(slot: Slot): Promise<void> {
    if (this.ctx.signal.aborted) return;
    try {
      if (slot.running !== undefined) {
        if (await slot.running.isThere()) return;
        this.ctx.log.warn(`the socket for ${slot.what} was removed: the plugin creates it again`);
        await slot.running.stop();
        slot.running = undefined;
      }
      slot.running = await slot.serve();
      slot.failure = undefined;
    } catch (error) {
      const why = errorText(error);
      if (slot.failure !== why) this.ctx.log.error(`no ${slot.what}: ${why}`);
      slot.failure = why;
    }
  }

  #source(metrics: DeviceMetrics): PodResourcesSource {
    const { pods, node } = this.ctx;
    const { records, inventory } = this.manager;
    const resourcesOf = (pod: Pod): PodResources => {
      const { uid } = pod.metadata;
      const cpus = (container: string) =>
        node.hintProviders().flatMap((one) => one.exclusiveCpus?.(uid, container) ?? []);
      return podResources(pod, (container) => records.ofContainer(uid, container), cpus);
    };
    return {
      list: () => pods.active().map(resourcesOf),
      get(name: string, namespace: string) {
        const pod = pods.list().find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
        return pod === undefined ? undefined : resourcesOf(pod);
      },
      allocatable: () => ({
        devices: allocatableDevices(inventory.allocatable()),
        cpuIds: node.hintProviders().flatMap((one) => one.allocatableCpus?.() ?? []),
      }),
      counted: metrics.asked,
    };
  }
}
