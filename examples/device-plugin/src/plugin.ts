/** The device plugin itself: serves its devices on a socket of its own and registers it. */
import { watch } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  credentials,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceClientConstructor,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { DeviceOption, Options } from "./arguments.js";

const proto = fileURLToPath(new URL("../proto/deviceplugin.proto", import.meta.url));
const { v1beta1 } = loadPackageDefinition(
  loadSync(proto, { keepCase: true, longs: Number, defaults: true }),
) as unknown as {
  v1beta1: { Registration: ServiceClientConstructor; DevicePlugin: ServiceClientConstructor };
};

interface ContainerRequest {
  readonly devices_ids: readonly string[];
}
interface PreferredRequest {
  readonly available_deviceIDs: readonly string[];
  readonly must_include_deviceIDs: readonly string[];
  readonly allocation_size: number;
}

export class DevicePlugin {
  readonly #server = new Server();
  readonly #watchers = new Set<ServerWritableStream<object, object>>();
  readonly #devices: Map<string, DeviceOption>;
  readonly #socket: string;

  constructor(
    private readonly options: Options,
    private readonly say: (text: string) => void,
  ) {
    this.#devices = new Map(options.devices.map((device) => [device.id, device]));
    this.#socket = `${options.resource.replaceAll("/", "_")}.sock`;
  }

  /** Serves, registers, and registers again whenever the agent has recreated its socket. */
  async start(): Promise<void> {
    this.#server.addService(v1beta1.DevicePlugin.service, {
      GetDevicePluginOptions: (_: unknown, done: sendUnaryData<object>) => done(null, this.#pluginOptions()),
      ListAndWatch: (call: ServerWritableStream<object, object>) => this.#watch(call),
      Allocate: (
        { request }: ServerUnaryCall<{ container_requests: readonly ContainerRequest[] }, object>,
        done: sendUnaryData<object>,
      ) => done(null, { container_responses: request.container_requests.map((one) => this.#allocate(one)) }),
      GetPreferredAllocation: (
        { request }: ServerUnaryCall<{ container_requests: readonly PreferredRequest[] }, object>,
        done: sendUnaryData<object>,
      ) => done(null, { container_responses: request.container_requests.map((one) => this.#prefer(one)) }),
      PreStartContainer: ({ request }: ServerUnaryCall<ContainerRequest, object>, done: sendUnaryData<object>) => {
        this.say(`before start: ${request.devices_ids.join(" ")}`);
        done(null, {});
      },
    });
    await this.#serve();
    await this.#register();
    watch(this.options.folder, (_, name) => {
      if (name === "kubelet.sock") void this.#again();
    });
  }

  setHealth(id: string, health: string): void {
    const device = this.#devices.get(id);
    if (device === undefined) {
      this.say(`no device ${id}`);
      return;
    }
    this.#devices.set(id, { ...device, health });
    for (const call of this.#watchers) call.write(this.#list());
  }

  async #serve(): Promise<void> {
    await rm(join(this.options.folder, this.#socket), { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.bindAsync(this.#address, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      );
    });
  }

  #changes = 0;

  /** The agent has removed our socket with its own: both are recreated, once for all changes of a moment. */
  async #again(): Promise<void> {
    const change = ++this.#changes;
    await pause(200);
    for (let attempt = 1; change === this.#changes; attempt++) {
      try {
        this.#server.unbind(this.#address);
        await this.#serve();
        await this.#register();
        return;
      } catch (error) {
        // It is just being made; a new one tells of itself.
        if (attempt === 20) {
          this.say(`not registered: ${error instanceof Error ? error.message : String(error)}`);
          return;
        }
        await pause(500);
      }
    }
  }

  async #register(): Promise<void> {
    const client = new v1beta1.Registration(
      `unix:${join(this.options.folder, "kubelet.sock")}`,
      credentials.createInsecure(),
      { "grpc.default_authority": "localhost" },
    );
    const request = {
      version: "v1beta1",
      endpoint: this.#socket,
      resource_name: this.options.resource,
      options: this.#pluginOptions(),
    };
    const register = client.Register as unknown as (
      this: unknown,
      request: object,
      done: (error: Error | null) => void,
    ) => void;
    await new Promise<void>((resolve, reject) => {
      register.call(client, request, (error) => (error === null ? resolve() : reject(error)));
    }).finally(() => client.close());
    this.say(`registered ${this.options.resource}`);
  }

  get #address(): string {
    return `unix:${join(this.options.folder, this.#socket)}`;
  }

  #pluginOptions(): object {
    return {
      pre_start_required: this.options.preStart,
      get_preferred_allocation_available: this.options.prefer !== "none",
    };
  }

  #watch(call: ServerWritableStream<object, object>): void {
    this.#watchers.add(call);
    call.on("cancelled", () => this.#watchers.delete(call));
    call.on("close", () => this.#watchers.delete(call));
    call.write(this.#list());
  }

  #list(): object {
    return {
      devices: [...this.#devices.values()].map(({ id, health, numa }) => ({
        ID: id,
        health,
        ...(numa === undefined ? {} : { topology: { nodes: [{ ID: numa }] } }),
      })),
    };
  }

  /** A device node and an env variable that names the devices. */
  #allocate({ devices_ids }: ContainerRequest): object {
    const { node, mount } = this.options;
    this.say(`allocated: ${devices_ids.join(" ")}`);
    return {
      envs: { DEMO_DEVICES: devices_ids.join(",") },
      devices:
        node === ""
          ? []
          : devices_ids.map((id) => ({ container_path: `/dev/${id}`, host_path: node, permissions: "rw" })),
      mounts: mount === "" ? [] : [{ container_path: "/demo", host_path: mount, read_only: true }],
      annotations: { "demo.hooklet.dev/devices": devices_ids.join(",") },
    };
  }

  #prefer({ available_deviceIDs, must_include_deviceIDs, allocation_size }: PreferredRequest): object {
    const others = available_deviceIDs.filter((id) => !must_include_deviceIDs.includes(id)).reverse();
    return { deviceIDs: [...must_include_deviceIDs, ...others].slice(0, allocation_size) };
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
