/** Stands between a node and the API server, and does to its requests what networks and overloaded servers do. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { there } from "./cluster.js";
import { credentials } from "./nodes.js";

type Kind = "read" | "write" | "watch";

export interface Asked {
  readonly kind: Kind;
  /** With its query. */
  readonly path: string;
  /** Requests of any kind and requests of its own, itself included, since the fault began. */
  readonly count: number;
  readonly ofItsKind: number;
}

/** What becomes of a request; undefined: it is answered as it should. */
export type Fault =
  | { readonly kind: "status"; readonly code: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: "late"; readonly milliseconds: number }
  /** It is done, and its answer lost. */
  | { readonly kind: "lost" }
  /** A stream ends in the middle of a line after this time. */
  | { readonly kind: "cut"; readonly milliseconds: number }
  /** A watch gets the answer that its version has been compacted. */
  | { readonly kind: "compacted" };

interface Kubeconfig {
  readonly users: readonly {
    readonly user: { readonly "client-certificate-data": string; readonly "client-key-data": string };
  }[];
}

export class FaultyProxy {
  /** Faults that happened to a request since the last `begin`. */
  done = 0;
  #fault: (asked: Asked) => Fault | undefined = () => undefined;
  #counts = noRequests();

  private constructor(
    private readonly server: Server,
    private readonly upstream: Agent,
  ) {
    server.on("request", (from, to) => void this.#handle(from, to).catch(() => to.destroy()));
  }

  /** With the certificates of a node: it serves with the one of its server, and asks with that of its client. */
  static async start(node: string): Promise<FaultyProxy> {
    const { kubeconfig, certificate, key, authority } = await credentials(node);
    const user = (JSON.parse(readFileSync(kubeconfig, "utf8")) as Kubeconfig).users[0]?.user;
    const decode = (text = ""): Buffer => Buffer.from(text, "base64");
    const upstream = new Agent({
      keepAlive: true,
      ca: readFileSync(authority),
      cert: decode(user?.["client-certificate-data"]),
      key: decode(user?.["client-key-data"]),
    });
    const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) });
    const proxy = new FaultyProxy(server, upstream);
    await new Promise<void>((resolve) => server.listen(0, there.hostAddress, resolve));
    return proxy;
  }

  get url(): string {
    return `https://${there.hostAddress}:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on, for requests and for the streams that are open. */
  begin(fault: (asked: Asked) => Fault | undefined): void {
    this.#fault = fault;
    this.#counts = noRequests();
    this.done = 0;
    this.server.closeAllConnections();
  }

  end(): void {
    this.#fault = () => undefined;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    this.upstream.destroy();
  }

  async #handle(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const kind = kindOf(from);
    this.#counts[kind] += 1;
    const count = Object.values(this.#counts).reduce((sum, one) => sum + one);
    const fault = this.#fault({ kind, path: from.url ?? "/", count, ofItsKind: this.#counts[kind] });
    const happened = (): void => {
      this.done += 1;
    };
    if (fault?.kind === "late") {
      await pause(fault.milliseconds);
      happened();
    }
    if (fault?.kind === "status") {
      from.resume();
      const status = { apiVersion: "v1", kind: "Status", status: "Failure", code: fault.code, message: "a fault" };
      to.writeHead(fault.code, { "content-type": "application/json", ...fault.headers }).end(JSON.stringify(status));
      happened();
    } else if (fault?.kind === "compacted") {
      const status = { apiVersion: "v1", kind: "Status", status: "Failure", code: 410, reason: "Expired" };
      to.writeHead(200, { "content-type": "application/json" });
      to.end(`${JSON.stringify({ type: "ERROR", object: status })}\n`);
      happened();
    } else this.#pass(from, to, fault, happened);
  }

  #pass(from: IncomingMessage, to: ServerResponse, fault: Fault | undefined, happened: () => void): void {
    const { method, url, headers } = from;
    const asked = request(`${there.server}${url}`, { method, headers, agent: this.upstream });
    asked.on("error", () => to.destroy());
    to.on("close", () => asked.destroy());
    asked.on("response", (response) => {
      if (fault?.kind === "lost") {
        response.resume().on("end", () => {
          to.destroy();
          happened();
        });
        return;
      }
      to.writeHead(response.statusCode ?? 502, response.headers);
      to.flushHeaders();
      response.pipe(to);
      if (fault?.kind !== "cut") return;
      setTimeout(() => {
        if (to.writableEnded || to.destroyed) return;
        response.unpipe(to);
        to.write('{"type":"MODIFIED","object":{"metadata":{"na');
        happened();
        setImmediate(() => to.destroy());
      }, fault.milliseconds);
    });
    from.pipe(asked);
  }
}

function noRequests(): Record<Kind, number> {
  return { read: 0, write: 0, watch: 0 };
}

function kindOf({ method, url = "/" }: IncomingMessage): Kind {
  if (/[?&]watch=(1|true)/.test(url)) return "watch";
  return method === "GET" ? "read" : "write";
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
