/**
 * An HTTP server that listens before there is an agent: what cannot be had ends the start with nothing begun, and who asks early
 * is told to ask again. Its connections are bounded, and the bound keeps nobody out: the oldest one gives way.
 */
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Surface } from "./surfaces.js";
import { JSON_TYPE } from "./wire/headers.js";

const MAX_HEADER_BYTES = 1024 * 1024;
/** A request of anybody must have arrived whole within this time, milliseconds. */
const OPEN_REQUEST_TIMEOUT = 30_000;
/** How often Node looks for requests that are late, milliseconds. */
const LOOK_FOR_LATE = 5_000;
const MAX_OPEN_CONNECTIONS = 256;
const MAX_OWN_CONNECTIONS = 1_024;
/** Requests of one connection without an answer: one, and the one before it, whose end the server has not seen when its reader has. */
const MAX_UNANSWERED = 2;

export class HttpDoor {
  readonly server: Server;
  readonly #connections: ReadonlySet<Socket>;
  #answer: RequestListener = tellStarting;

  constructor(surface: Surface) {
    const { isOpen } = surface;
    this.server = createServer({
      // The socket carries sessions of hours; only root or the owner reaches it.
      requestTimeout: isOpen ? OPEN_REQUEST_TIMEOUT : 0,
      connectionsCheckingInterval: LOOK_FOR_LATE,
      keepAliveTimeout: 5_000,
      // A command of exec stands in the URL; the kernel takes some 128 KiB.
      ...(!isOpen && { maxHeaderSize: MAX_HEADER_BYTES }),
    });
    this.server.on("request", tellStarting);
    this.#connections = connectionsOf(this.server);
    giveWay(this.server, isOpen ? MAX_OPEN_CONNECTIONS : MAX_OWN_CONNECTIONS);
  }

  /** @throws Error of the system when it is taken or not allowed */
  listen(where: { readonly path: string } | { readonly host: string; readonly port: number }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(where, () => {
        this.server.off("error", reject);
        resolve();
      });
    });
  }

  /** Who is to answer; nobody is asked before `serve`: until an app is ready its hooks are not, and they keep people out. */
  answerer(answer: RequestListener): Server {
    this.#answer = oneByOne(answer);
    return this.server;
  }

  /** From now on requests are answered. */
  serve(): void {
    this.server.off("request", tellStarting);
    this.server.on("request", this.#answer);
  }

  /** Ends all requests, streams too. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }
}

/**
 * Ends a connection that goes on asking and does not wait to be answered. No client of today does; Node would begin all of what came
 * in one piece, each answer of which lies in memory while nobody reads it.
 */
export function oneByOne(answer: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    const before = unanswered.get(socket) ?? 0;
    if (before >= MAX_UNANSWERED) socket.destroy();
    // What else came in the same piece still arrives here.
    if (socket.destroyed) return;
    unanswered.set(socket, before + 1);
    response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    answer(request, response);
  };
}

export function tellStarting(_request: unknown, response: ServerResponse): void {
  const body = JSON.stringify({ error: "The agent is starting. Ask again in a moment.", code: "AGENT_STARTING" });
  response.writeHead(503, { "content-type": JSON_TYPE, "retry-after": "1" });
  response.end(body);
}

/** All connections of a server. Node's own closeAllConnections knows none that asked for an upgrade, or is in its TLS handshake. */
export function connectionsOf(server: Pick<Server, "on">): ReadonlySet<Socket> {
  const all = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    all.add(socket);
    socket.once("close", () => all.delete(socket));
  });
  return all;
}

/**
 * A connection beyond the bound ends another one: of the address that has most the one that has been there longest. Nobody who holds
 * or opens many keeps others out. What this returns says that somebody known is at the other end of a connection: strangers' give way
 * first, and of theirs there may be fewer.
 */
export function giveWay(
  server: Pick<Server, "on">,
  most: number,
  mostStrangers = most,
): (socket: Pick<Socket, "remoteAddress" | "remotePort">) => void {
  const strangers = new Map<string, Socket>();
  const known = new Map<string, Socket>();
  server.on("connection", (socket: Socket) => {
    const key = keyOf(socket);
    strangers.set(key, socket);
    socket.once("close", () => {
      for (const all of [strangers, known]) if (all.get(key) === socket) all.delete(key);
    });
    if (strangers.size <= mostStrangers && strangers.size + known.size <= most) return;
    const [oldest] = strangers.size > 1 || known.size === 0 ? [oldestOfMost([...strangers.values()])] : known.values();
    oldest?.destroy();
  });
  return (socket) => {
    const key = keyOf(socket);
    const raw = strangers.get(key);
    if (raw === undefined) return;
    strangers.delete(key);
    known.set(key, raw);
  };
}

/** One machine pushes out its own. */
function oldestOfMost(sockets: readonly Socket[]): Socket | undefined {
  const counts = new Map<string | undefined, number>();
  for (const { remoteAddress } of sockets) counts.set(remoteAddress, (counts.get(remoteAddress) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return sockets.find(({ remoteAddress }) => counts.get(remoteAddress) === most);
}

let unnamed = 0;

/** The same for a connection and for TLS upon it. Those of unix sockets have no address. */
function keyOf({ remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">): string {
  if (remotePort !== undefined) return `${remoteAddress} ${remotePort}`;
  unnamed += 1;
  return `unnamed ${unnamed}`;
}
