/** The cluster in memory over real HTTP, behind faults as networks and API servers have them. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "@hooklet/utils";
import { isApiError } from "../../src/client/api-error.js";
import type { Query } from "../../src/client/client.js";
import type { Client } from "../../src/kube-clients.js";
import type { FakeCluster } from "../fake-cluster.js";

/** What becomes of a request; undefined: it is answered as it should. */
export type Misfortune =
  | { readonly kind: "status"; readonly code: number; readonly headers?: Record<string, string> }
  | { readonly kind: "late"; readonly milliseconds: number }
  /** The connection breaks before a word. */
  | { readonly kind: "hangUp" }
  /** It is done, and its answer lost. */
  | { readonly kind: "lostAnswer" }
  /** The answer ends in the middle, and says that it is whole. */
  | { readonly kind: "halfJson" }
  /** A stream breaks in the middle of an event. */
  | { readonly kind: "cutStream" };

export class ServedCluster {
  /** Asked for each request. */
  misfortune: (method: string, path: string) => Misfortune | undefined = () => undefined;
  readonly #client: Client;
  readonly #streams = new Set<ServerResponse>();
  #server: Server | undefined;

  constructor(cluster: FakeCluster) {
    this.#client = cluster.clients({}, { clock: systemClock }).general;
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    await new Promise<void>((resolve) => this.#server?.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  get url(): string {
    const address = this.#server?.address() as AddressInfo;
    return `http://127.0.0.1:${address.port}`;
  }

  /** Each watch breaks off in the middle of an event. */
  cutStreams(): void {
    for (const response of this.#streams) {
      response.write('{"type":"MODIFIED","object":{"metadata":{"na');
      setImmediate(() => response.destroy());
    }
    this.#streams.clear();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", "http://api");
    const method = request.method ?? "";
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const bad = this.misfortune(method, url.pathname);
    if (bad?.kind === "hangUp") return void response.destroy();
    if (bad?.kind === "status") {
      const { code, headers = {} } = bad;
      return json(response, code, { kind: "Status", code, reason: "Fault", message: "a fault" }, headers);
    }
    if (bad?.kind === "late") await new Promise((resolve) => setTimeout(resolve, bad.milliseconds));
    if (url.searchParams.get("watch") === "true") {
      await this.#watch(url, response);
      return;
    }
    const { code, body } = await this.#done(method, url.pathname, text === "" ? undefined : JSON.parse(text));
    if (bad?.kind === "lostAnswer") return void response.destroy();
    const full = JSON.stringify(body ?? {});
    response.writeHead(code, { "content-type": "application/json" });
    response.end(bad?.kind === "halfJson" ? full.slice(0, full.length / 2) : full);
  }

  async #done(method: string, path: string, body: unknown): Promise<{ code: number; body: unknown }> {
    const client = this.#client;
    try {
      if (method === "GET") return { code: 200, body: await client.get(path) };
      if (method === "POST") return { code: 201, body: await client.create(path, body) };
      if (method === "PUT") return { code: 200, body: await client.replace(path, body) };
      if (method === "PATCH") return { code: 200, body: await client.patch(path, body) };
      return { code: 200, body: await client.delete(path, body) };
    } catch (error) {
      if (!isApiError(error)) throw error;
      const { status: code, reason, message } = error;
      return { code, body: { kind: "Status", code, reason, message } };
    }
  }

  async #watch(url: URL, response: ServerResponse): Promise<void> {
    const query = Object.fromEntries(
      [...url.searchParams].map(([key, value]) => [key, value === "true" ? true : value]),
    ) as Query;
    const gone = new AbortController();
    response.on("close", () => {
      this.#streams.delete(response);
      gone.abort();
    });
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    this.#streams.add(response);
    for await (const chunk of await this.#client.stream(url.pathname, query, gone.signal)) response.write(chunk);
    response.end();
  }
}

function json(response: ServerResponse, code: number, body: unknown, headers: Record<string, string>): void {
  response.writeHead(code, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
