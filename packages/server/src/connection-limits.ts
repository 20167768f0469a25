/** Bounds of a server's connections: how many of a kind, how many requests of one without an answer, how many bytes are parsed at once. */
import type { EventEmitter } from "node:events";
import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";

type Named = Pick<Socket, "remoteAddress" | "remotePort">;

/** Connections of a server, in pools: one in a pool takes no place in another, and one that comes into a full pool ends the oldest there. */
export class Pools<Pool extends string> {
  readonly #inside = new Map<Pool, Map<string, Socket>>();

  /** @param first the pool of every new connection */
  constructor(
    server: Pick<EventEmitter, "on">,
    private readonly sizes: Readonly<Record<Pool, number>>,
    first: NoInfer<Pool>,
  ) {
    for (const pool of Object.keys(sizes) as Pool[]) this.#inside.set(pool, new Map());
    server.on("connection", (socket: Socket) => {
      const key = keyOf(socket);
      this.#take(first, key, socket);
      socket.once("close", () => {
        for (const pool of this.#inside.values()) if (pool.get(key) === socket) pool.delete(key);
      });
    });
  }

  /** @param socket the connection, or TLS upon it */
  enter(socket: Named, pool: Pool): void {
    const key = keyOf(socket);
    for (const [other, inside] of this.#inside) {
      const raw = inside.get(key);
      if (raw === undefined || other === pool) continue;
      inside.delete(key);
      this.#take(pool, key, raw);
    }
  }

  /** Closes the oldest connection of the address that has most: a client with many connections pushes out its own. */
  #take(pool: Pool, key: string, socket: Socket): void {
    const inside = this.#inside.get(pool) as Map<string, Socket>;
    inside.set(key, socket);
    if (inside.size > this.sizes[pool]) oldestOfMost([...inside.values()])?.destroy();
  }
}

function oldestOfMost(sockets: readonly Socket[]): Socket | undefined {
  const counts = new Map<string | undefined, number>();
  for (const { remoteAddress } of sockets) counts.set(remoteAddress, (counts.get(remoteAddress) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return sockets.find(({ remoteAddress }) => counts.get(remoteAddress) === most);
}

let unnamed = 0;

/** The same for a connection and for TLS upon it. Those of unix sockets have no address. */
function keyOf({ remoteAddress, remotePort }: Named): string {
  if (remotePort !== undefined) return `${remoteAddress} ${remotePort}`;
  unnamed += 1;
  return `unnamed ${unnamed}`;
}

/** All connections of a server. Node's own closeAllConnections misses upgraded ones and those in the TLS handshake. */
export function connectionsOf(server: Pick<Server, "on">): ReadonlySet<Socket> {
  const all = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    all.add(socket);
    socket.once("close", () => all.delete(socket));
  });
  return all;
}

/** Of a server whose requests go `oneByOne`: Node would answer these itself, each of a thousand in one piece. */
export const BOUNDED = { requireHostHeader: false } as const;

/** Requests of one connection without an answer: one, and the one before it, whose end the server has not seen when its reader has. */
const MAX_UNANSWERED = 2;

const unanswered = new WeakMap<Socket, number>();

/**
 * Closes a connection that sends further requests without reading the answers. Today's clients do not; Node would begin all requests of one
 * piece, and keep each answer in memory until it is read.
 */
export function oneByOne(answer: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const before = unanswered.get(socket) ?? 0;
    if (before >= MAX_UNANSWERED) socket.destroy();
    // What else came in the same piece still arrives here.
    if (socket.destroyed) return;
    unanswered.set(socket, before + 1);
    response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    // As Node would: HTTP/1.1 says that it must be there.
    if (request.httpVersion === "1.1" && request.headers.host === undefined) {
      response.writeHead(400, { connection: "close" }).end();
      return;
    }
    answer(request, response);
  };
}

/** Whether a request of this connection has no answer yet, or it carries something else than HTTP: it was upgraded, or TLS lies upon it. */
export function isBusy(connection: Socket): boolean {
  return (unanswered.get(connection) ?? 0) > 0 || !Object.hasOwn(connection, "push");
}

/** Bytes. The shortest request has 18. */
const PIECE = 512;

/**
 * Passes what each connection sends to the HTTP parser in small chunks. Node reads up to 64 KiB at once and makes an object of each
 * request in them, fifteen hundred where they are short, even when the second one has ended the connection: some 30 ms and 3 MiB per read.
 * @param event upon which the server's own parser takes it: it must listen already
 */
export function inPieces(server: EventEmitter, event: "connection" | "secureConnection"): void {
  server.on(event, (socket: Socket) => {
    const push = socket.push.bind(socket);
    socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (!(chunk instanceof Uint8Array)) return push(chunk, encoding);
      let goesOn = true;
      for (let from = 0; from < chunk.length && !socket.destroyed; from += PIECE) {
        // No longer HTTP since the last piece.
        if (!Object.hasOwn(socket, "push")) return push(chunk.subarray(from));
        goesOn = push(chunk.subarray(from, from + PIECE));
      }
      return goesOn;
    };
    // The parser takes bytes past the socket until another listener is added.
    const listener = (): void => undefined;
    socket.on("data", listener).off("data", listener);
  });
}

/** What is upgraded is no longer the parser's. To be called when the server has its listeners. */
export function wholeOnceUpgraded(server: EventEmitter): void {
  // A server that has none answers an upgrade as any other request.
  if (server.listenerCount("upgrade") === 0) return;
  server.prependListener("upgrade", (_request: unknown, socket: Socket) => {
    Reflect.deleteProperty(socket, "push");
  });
}
