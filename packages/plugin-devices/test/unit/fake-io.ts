/** The outside of the plugin without sockets and files: plugins come and go as a test says, in virtual time. */
import type { AllocateResponse, Device, PluginOptions } from "../../src/device/device.js";
import { responseCodec } from "../../src/grpc/convert.js";
import type { PodResourcesSource } from "../../src/grpc/servers.js";
import type { DevicesIo, OnDamaged, Records, RecordsCodec } from "../../src/io.js";
import type { PluginClient } from "../../src/registration/connections.js";
import type { RegisterRequest } from "../../src/registration/rules.js";
import { nothing } from "../devices.js";

type Register = (request: RegisterRequest, folder: string) => Promise<void>;

export interface FakePluginParts {
  readonly options?: PluginOptions;
  readonly allocate?: (ids: readonly string[]) => Promise<AllocateResponse | undefined>;
  readonly preStart?: (ids: readonly string[]) => void;
}

/** One plugin that is connected. */
export interface Plugged {
  report(devices: readonly Device[]): void;
  gone(): void;
}

/** It outlives agents: the checkpoint stays, connections do not. */
export class FakeIo implements DevicesIo {
  readonly codec = { ...responseCodec, load: async () => {} };
  checkpoint: string | undefined;
  /** What the pod resources API would answer. */
  podResources: PodResourcesSource | undefined;
  readonly setAsideTexts: string[] = [];
  #register: Register | undefined;
  #next: PluginClient | undefined;

  /** Registers a plugin and sends its first report. */
  async plug(resource: string, devices: readonly Device[], parts: FakePluginParts = {}): Promise<Plugged> {
    let stream: Parameters<PluginClient["listAndWatch"]>[0] | undefined;
    this.#next = {
      getOptions: async () => parts.options ?? { preStartRequired: false, getPreferredAllocationAvailable: false },
      listAndWatch: (on) => {
        stream = on;
      },
      async allocate(ids) {
        const response =
          parts.allocate === undefined ? { ...nothing, envs: { IDS: ids.join(",") } } : await parts.allocate(ids);
        return { response, text: "&AllocateResponse{}" };
      },
      preferredAllocation: async () => undefined,
      preStartContainer: async (ids) => parts.preStart?.(ids),
      close: () => {},
    };
    await this.#register?.({ version: "v1beta1", endpoint: "p.sock", resourceName: resource }, "/plugins");
    stream?.reported(devices);
    return { report: (next) => stream?.reported(next), gone: () => stream?.ended(undefined) };
  }

  async dial(): Promise<PluginClient> {
    if (this.#next === undefined) throw new Error("nobody listens");
    return this.#next;
  }

  async serveRegistration(_: string, register: Register) {
    this.#register = register;
    return { isThere: async () => true, stop: async () => {} };
  }

  async servePodResources(_: string, source: PodResourcesSource) {
    this.podResources = source;
    return { isThere: async () => true, stop: async () => {} };
  }

  async registrySockets() {
    return [];
  }

  getInfo(): Promise<never> {
    return Promise.reject(new Error("nobody listens"));
  }

  async notify(): Promise<void> {}

  stateFile(path: string, codec: RecordsCodec, onDamaged: OnDamaged) {
    return {
      read: async (): Promise<Records | undefined> => {
        if (this.checkpoint === undefined) return undefined;
        try {
          return codec.decode(this.checkpoint);
        } catch (error) {
          this.setAsideTexts.push(this.checkpoint);
          this.checkpoint = undefined;
          onDamaged(path, `${path}.corrupt`, String(error));
          return undefined;
        }
      },
      write: async (records: Records): Promise<void> => {
        this.checkpoint = codec.encode(records);
      },
    };
  }
}
