/** A device plugin in this process, which does what a test says: also what no plugin should. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { systemClock } from "@hooklet/utils";
import { GrpcClient, service } from "../../src/grpc/grpc.js";

export interface WireDeviceInput {
  readonly ID: string;
  readonly health?: string;
  readonly topology?: { readonly nodes: readonly { readonly ID: number }[] };
}

export interface Behaviour {
  readonly options?: object;
  readonly devices?: readonly WireDeviceInput[];
  /** Resolves with the whole answer; never resolves: the plugin hangs. */
  readonly allocate?: (ids: readonly string[]) => Promise<object>;
  /** Bytes of the largest message it sends. */
  readonly largest?: number;
}

export class FakePlugin {
  #server: Server | undefined;
  readonly #streams = new Set<ServerWritableStream<object, object>>();
  readonly calls: string[] = [];

  constructor(
    readonly folder: string,
    readonly resource: string,
    private behaviour: Behaviour = {},
    readonly endpoint = `${resource.replaceAll("/", "_")}.sock`,
  ) {}

  get path(): string {
    return join(this.folder, this.endpoint);
  }

  async serve(): Promise<void> {
    await rm(this.path, { force: true });
    const server = new Server({ "grpc.max_send_message_length": this.behaviour.largest ?? -1 });
    const answer =
      (rpc: string, make: (request: never) => object | Promise<object>) =>
      async ({ request }: ServerUnaryCall<object, object>, done: sendUnaryData<object>) => {
        this.calls.push(rpc);
        try {
          done(null, await make(request as never));
        } catch (error) {
          done(error as Error);
        }
      };
    server.addService(service("v1beta1.DevicePlugin"), {
      GetDevicePluginOptions: answer("GetDevicePluginOptions", () => this.behaviour.options ?? {}),
      ListAndWatch: (call: ServerWritableStream<object, object>) => {
        this.calls.push("ListAndWatch");
        this.#streams.add(call);
        call.on("cancelled", () => this.#streams.delete(call));
        call.write({ devices: this.#devices() });
      },
      Allocate: answer("Allocate", async ({ containerRequests }: { containerRequests: { devicesIds: string[] }[] }) => {
        const ids = containerRequests[0]?.devicesIds ?? [];
        return (await this.behaviour.allocate?.(ids)) ?? { containerResponses: [{ envs: { DEVICES: ids.join(",") } }] };
      }),
      GetPreferredAllocation: answer("GetPreferredAllocation", () => ({})),
      PreStartContainer: answer("PreStartContainer", () => ({})),
    });
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${this.path}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      );
    });
    this.#server = server;
  }

  /** Rejects with what the agent says. */
  async register(request: object = {}): Promise<void> {
    const client = new GrpcClient(join(this.folder, "kubelet.sock"), systemClock);
    try {
      const own = { version: "v1beta1", endpoint: this.endpoint, resourceName: this.resource, ...request };
      await client.call(service("v1beta1.Registration"), "Register", own, 20_000);
    } finally {
      client.close();
    }
  }

  async start(): Promise<void> {
    await this.serve();
    await this.register();
  }

  report(devices: readonly WireDeviceInput[]): void {
    this.behaviour = { ...this.behaviour, devices };
    for (const stream of this.#streams) stream.write({ devices: this.#devices() });
  }

  endStreams(): void {
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }

  /** As if the process had died. */
  kill(): void {
    this.#server?.forceShutdown();
    this.#streams.clear();
  }

  #devices(): readonly object[] {
    return (this.behaviour.devices ?? [{ ID: "dev-0" }]).map((device) => ({ health: "Healthy", ...device }));
  }
}
