/** An API server that misbehaves on command: one collection, its history, and faults in the order of asking. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "@hooklet/utils";
import { KubeClient, Reach } from "../../src/client/client.js";
import { Connection, type ConnectionOptions } from "../../src/client/connection.js";
import type { KubeObject } from "../../src/client/watch-events.js";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly accept: string | undefined;
  /** The client's, of the connection that it came on. */
  readonly port: number | undefined;
}

/** Takes the answer in its hands; false: the server answers as it should. */
export type Fault = (asked: Asked, response: ServerResponse) => boolean;

interface Change {
  readonly type: string;
  readonly version: number;
  readonly object: KubeObject;
}

export class FakeApi {
  readonly asked: Asked[] = [];
  /** The next request is the first one's; who lets it pass is asked again. */
  readonly faults: Fault[] = [];
  /** Streaming lists, as servers from 1.34 have them. */
  streamingLists = true;
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: Change[] = [];
  readonly #streams = new Set<ServerResponse>();
  #version = 100;
  #oldest = 0;
  #server: Server | undefined;
  #connection: Connection | undefined;

  async start(): Promise<void> {
    this.#server = createServer((request, response) => void this.#answer(request, response));
    await new Promise<void>((resolve) => this.#server?.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    await this.#connection?.close();
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  get url(): string {
    const address = this.#server?.address() as AddressInfo;
    return `http://127.0.0.1:${address.port}`;
  }

  /** Of any client. */
  readonly credentials: ConnectionOptions["credentials"] = {
    current: async () => ({ server: this.url, rejectUnauthorized: false, identity: "a" }),
    doubt: () => undefined,
    watch: () => undefined,
  };

  /** `clock`: of the first one's connection, which all share. */
  client(clock: Clock = systemClock): KubeClient {
    const { credentials } = this;
    this.#connection ??= new Connection({ credentials, clock, userAgent: "test" });
    const reach = new Reach(clock);
    return new KubeClient({ connection: this.#connection, clock, reach });
  }

  get watches(): number {
    return this.#streams.size;
  }

  set(name: string, more: object = {}): void {
    const type = this.#objects.has(name) ? "MODIFIED" : "ADDED";
    this.#change(type, { metadata: { name, uid: `uid-${name}`, resourceVersion: String(++this.#version) }, ...more });
  }

  delete(name: string): void {
    const object = this.#objects.get(name);
    if (object === undefined) return;
    this.#objects.delete(name);
    const resourceVersion = String(++this.#version);
    this.#tell({
      type: "DELETED",
      version: this.#version,
      object: { ...object, metadata: { ...object.metadata, resourceVersion } },
    });
  }

  /** The history up to now is no more. */
  compact(): void {
    this.#history.length = 0;
    this.#oldest = this.#version;
  }

  /** Ends all watches, as a load balancer does. */
  cut(how: "end" | "destroy" = "destroy"): void {
    for (const stream of this.#streams) stream[how]();
    this.#streams.clear();
  }

  bookmark(): void {
    for (const stream of this.#streams)
      stream.write(line("BOOKMARK", { metadata: { resourceVersion: String(this.#version) } }));
  }

  #change(type: string, object: KubeObject): void {
    this.#objects.set(object.metadata.name, object);
    this.#tell({ type, version: this.#version, object });
  }

  #tell(change: Change): void {
    this.#history.push(change);
    for (const stream of this.#streams) stream.write(line(change.type, change.object));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", "http://api");
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const { method = "", headers, socket } = request;
    const { accept } = headers;
    const asked = { method, path: url.pathname, query: url.searchParams, body, accept, port: socket.remotePort };
    this.asked.push(asked);
    const [fault] = this.faults;
    if (fault?.(asked, response)) {
      this.faults.shift();
      return;
    }
    if (asked.query.get("watch") === "true") this.#watch(asked, response);
    else
      answerJson(response, 200, {
        metadata: { resourceVersion: String(this.#version) },
        items: [...this.#objects.values()],
      });
  }

  #watch({ query }: Asked, response: ServerResponse): void {
    const initial = query.get("sendInitialEvents") === "true";
    if (initial && !this.streamingLists) {
      answerJson(response, 422, {
        kind: "Status",
        code: 422,
        reason: "Invalid",
        message: "sendInitialEvents is forbidden",
      });
      return;
    }
    const from = Number(query.get("resourceVersion") ?? 0);
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    if (!initial && from < this.#oldest) {
      response.end(
        line("ERROR", { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" }),
      );
      return;
    }
    if (initial) {
      for (const object of this.#objects.values()) response.write(line("ADDED", object));
      const annotations = { "k8s.io/initial-events-end": "true" };
      response.write(line("BOOKMARK", { metadata: { resourceVersion: String(this.#version), annotations } }));
    } else {
      for (const { type, version, object } of this.#history) if (version > from) response.write(line(type, object));
    }
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
  }
}

/** A fault: this status in the words of metav1. */
export function status(code: number, reason: string, message = reason, headers: Record<string, string> = {}): Fault {
  return (_, response) => {
    answerJson(response, code, { kind: "Status", status: "Failure", code, reason, message }, headers);
    return true;
  };
}

/** A fault: the connection breaks without a word. */
export const hangUp: Fault = (_, response) => {
  response.destroy();
  return true;
};

/** A fault: nothing is answered at all. */
export const silence: Fault = () => true;

function answerJson(response: ServerResponse, code: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(code, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}
