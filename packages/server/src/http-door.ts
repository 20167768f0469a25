/**
 * An HTTP server that listens before there is an agent: what cannot be had ends the start with nothing begun, and who asks early
 * is told to ask again. Its connections are bounded, and the bound keeps nobody out: the oldest one gives way.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { Socket } from "node:net";
import { inPieces, wholeOnceUpgraded } from "./pieces.js";
import { Rooms } from "./rooms.js";
import type { Surface } from "./surfaces.js";
import { JSON_TYPE } from "./wire/headers.js";

const MAX_HEADER_BYTES = 1024 * 1024;
/** A request of anybody must have arrived whole within this time, milliseconds. */
const OPEN_REQUEST_TIMEOUT = 30_000;
/** How often Node looks for requests that are late, milliseconds. */
const LOOK_FOR_LATE = 5_000;
/** Connections of a port: that have not asked anything yet, that have asked for health alone, and all others. */
const PLACES = { silent: 256, health: 64, others: 192 } as const;
const MAX_OWN_CONNECTIONS = 1_024;
/** Health in all its words. */
const HEALTH = /^\/(?:healthz|readyz|livez)(?:[/?]|$)/;
/** Requests of one connection without an answer: one, and the one before it, whose end the server has not seen when its reader has. */
const MAX_UNANSWERED = 2;

export class HttpDoor {
  readonly server: Server;
  readonly #connections: ReadonlySet<Socket>;
  readonly #noteAsked: (request: IncomingMessage) => void;
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
      ...BOUNDED,
    });
    bindRequests(this.server, "connection");
    this.#connections = connectionsOf(this.server);
    this.#noteAsked = isOpen ? healthApart(this.server) : () => undefined;
    if (!isOpen) new Rooms(this.server, { own: MAX_OWN_CONNECTIONS }, "own");
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
    this.#answer = (request, response) => {
      this.#noteAsked(request);
      answer(request, response);
    };
    return this.server;
  }

  /** From now on requests are answered. */
  serve(): void {
    answerFromNowOn(this.server, this.#answer);
  }

  /** Ends all requests, streams too. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }
}

/** Of a server whose requests `bindRequests` binds: Node would answer these itself, each of a thousand in one piece. */
export const BOUNDED = { requireHostHeader: false } as const;

/** Says that the agent starts, to whoever asks, until `answerFromNowOn`. @param event upon which the server takes a connection */
export function bindRequests(server: Server | HttpsServer, event: "connection" | "secureConnection"): void {
  inPieces(server, event);
  server.on("request", oneByOne(tellStarting));
  server.on(
    "checkExpectation",
    oneByOne((_request, response) => response.writeHead(417).end()),
  );
}

export function answerFromNowOn(server: Server | HttpsServer, answer: RequestListener): void {
  wholeOnceUpgraded(server);
  server.removeAllListeners("request").on("request", oneByOne(answer));
}

const unanswered = new WeakMap<Socket, number>();

/**
 * Ends a connection that goes on asking and does not wait to be answered. No client of today does; Node would begin all of what came
 * in one piece, each answer of which lies in memory while nobody reads it.
 */
function oneByOne(answer: RequestListener): RequestListener {
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

/** Two rooms of a port: connections that ask for anything but health take no places of those that ask for health alone, nor do silent ones. */
function healthApart(server: Server): (request: Pick<IncomingMessage, "socket" | "url">) => void {
  const rooms = new Rooms(server, PLACES, "silent");
  const others = new WeakSet<Socket>();
  return ({ socket, url = "" }) => {
    if (!HEALTH.test(url)) others.add(socket);
    rooms.enter(socket, others.has(socket) ? "others" : "health");
  };
}

function tellStarting(_request: unknown, response: ServerResponse): void {
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
