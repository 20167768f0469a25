/** What goes between a node and the API server, counted: bytes by a relay, requests by the API server's own audit. */
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { there } from "../cluster.js";

/** Carries TLS as it is. */
export class Relay {
  bytes = 0;
  readonly #open = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Relay> {
    const server = createServer({ noDelay: true });
    const relay = new Relay(server);
    server.on("connection", (from) => relay.#carry(from));
    await new Promise<void>((resolve) => server.listen(0, there.hostAddress, resolve));
    return relay;
  }

  get url(): string {
    return `https://${there.hostAddress}:${(this.server.address() as AddressInfo).port}`;
  }

  #carry(from: Socket): void {
    const to = connect({ host: there.address, port: 6443, noDelay: true });
    const ends: readonly (readonly [Socket, Socket])[] = [
      [from, to],
      [to, from],
    ];
    for (const [one, other] of ends) {
      this.#open.add(one);
      one.on("data", (data: Buffer) => {
        this.bytes += data.length;
      });
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#open.delete(one);
        other.destroy();
      });
    }
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

interface Audited {
  readonly auditID: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly requestReceivedTimestamp: string;
}

/** What a node has asked since then (milliseconds since 1970), in the order of the API server's own log. */
function audited(node: string, from: number): readonly (Audited & { readonly at: number })[] {
  const file = path.join(there.audit, "audit.log");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  return lines
    .map((line) => JSON.parse(line) as Audited)
    .filter(({ user }) => user.username === `system:node:${node}`)
    .map((one) => ({ ...one, at: Date.parse(one.requestReceivedTimestamp) }))
    .filter(({ at }) => at >= from);
}

/** How often a node asked between two times (milliseconds since 1970), by verb and resource; the most frequent first. */
export function requests(node: string, from: number, to: number): ReadonlyMap<string, number> {
  const seen = new Map<string, string>();
  for (const { auditID, verb, objectRef, at } of audited(node, from)) {
    if (at >= to) continue;
    const { resource = "-", subresource } = objectRef ?? {};
    seen.set(auditID, `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`);
  }
  const counts = new Map<string, number>();
  for (const what of seen.values()) counts.set(what, (counts.get(what) ?? 0) + 1);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

/** When the API server got a node's first status of each pod of a namespace after `from`, by name; milliseconds since 1970. */
export function firstStatuses(
  node: string,
  namespace: string,
  from: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { objectRef, at } of audited(node, Math.min(...from.values()))) {
    const { resource, subresource, name = "" } = objectRef ?? {};
    if (resource !== "pods" || subresource !== "status" || objectRef?.namespace !== namespace) continue;
    if (at >= (from.get(name) ?? Number.POSITIVE_INFINITY)) first.set(name, Math.min(at, first.get(name) ?? at));
  }
  return first;
}
