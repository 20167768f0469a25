/**
 * An HTTP server that listens before the agent starts. A port that is taken ends the start before anything has begun; early clients get
 * 503 with `AGENT_STARTING`. Connections are bounded: beyond the bound the oldest one is closed.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { Socket } from "node:net";
import { BOUNDED, connectionsOf, inPieces, isBusy, oneByOne, Pools, wholeOnceUpgraded } from "./connection-limits.js";
import type { Endpoint } from "./endpoints.js";
import { JSON_TYPE } from "./error-answer.js";

const MAX_HEADER_BYTES = 1024 * 1024;
/** Milliseconds within which an unauthenticated request must have arrived whole. */
const OPEN_REQUEST_TIMEOUT = 30_000;
/** Milliseconds between Node's checks for late requests. */
const LOOK_FOR_LATE = 5_000;
/** Connections of a port: without a request so far, with requests for health alone, and all others. */
const POOLS = { silent: 256, health: 64, others: 192 } as const;
const MAX_OWN_CONNECTIONS = 1_024;
/** Without a query: a watch would not go on. */
const LIST_OF_PODS = /^\/pods$/;
/** Of an answer by the former agent. As the API server warns: code 299 (kube-apiserver). */
const STARTING_WARNING = '299 - "The agent is starting. These are the pods as the former agent left them."';
/** All paths of health. */
const HEALTH = /^\/(?:healthz|readyz|livez)(?:[/?]|$)/;

type Asked = Pick<IncomingMessage, "socket" | "url">;

export class Listener<Serving extends Server | HttpsServer = Server> {
  readonly #connections: ReadonlySet<Socket>;
  #answer: RequestListener = tellStarting;
  /** Connections that the former agent still answers. */
  #former: readonly Socket[] = [];

  /** @param event upon which the server takes a connection; @param noteAsked called with each request before it is answered */
  constructor(
    readonly server: Serving,
    event: "connection" | "secureConnection",
    private readonly noteAsked: (request: Asked) => void = () => undefined,
  ) {
    inPieces(server, event);
    server.on("request", oneByOne(tellStarting));
    server.on(
      "checkExpectation",
      oneByOne((_request, response) => response.writeHead(417).end()),
    );
    this.#connections = connectionsOf(server);
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

  /** Sets the app that answers from `serve` on. Not before: its hooks check access, and are ready when the app is. */
  answerer(answer: RequestListener): Serving {
    // The app adds its own.
    this.server.removeAllListeners("clientError");
    this.#answer = (request, response) => {
      this.noteAsked(request);
      answer(request, response);
    };
    return this.server;
  }

  /** From now on requests are answered. */
  serve(): void {
    wholeOnceUpgraded(this.server);
    this.server.removeAllListeners("request").on("request", oneByOne(this.#answer));
    for (const connection of this.#former) connection.destroy();
    this.#former = [];
  }

  /**
   * The agent ends, and another one serves here soon. Until then `listsPods` lets the app list the pods, as they were; for everything else the
   * agent is starting. What is under way goes on until then.
   */
  handOver({ listsPods }: { readonly listsPods: boolean }): void {
    const former = this.#answer;
    this.#former = [...this.#connections].filter(isBusy);
    this.server.removeAllListeners("upgrade");
    this.server.removeAllListeners("request").on(
      "request",
      oneByOne((request, response) => {
        response.shouldKeepAlive = false;
        if (!listsPods || !LIST_OF_PODS.test(request.url ?? "")) return tellStarting(request, response);
        response.setHeader("warning", STARTING_WARNING);
        former(request, response);
      }),
    );
  }

  /** Ends all requests, streams too. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }
}

/** Of a socket, or of a port of the machine. */
export function httpListener({ isOpen }: Pick<Endpoint, "isOpen">): Listener {
  const server = createServer({
    // The socket carries sessions of hours; only root or the owner reaches it.
    requestTimeout: isOpen ? OPEN_REQUEST_TIMEOUT : 0,
    connectionsCheckingInterval: LOOK_FOR_LATE,
    keepAliveTimeout: 5_000,
    // A command of exec stands in the URL; the kernel takes some 128 KiB.
    ...(!isOpen && { maxHeaderSize: MAX_HEADER_BYTES }),
    ...BOUNDED,
  });
  if (isOpen) return new Listener(server, "connection", healthApart(server));
  new Pools(server, { own: MAX_OWN_CONNECTIONS }, "own");
  return new Listener(server, "connection");
}

/** Two pools of a port: connections that ask for anything but health take no places of those that ask for health alone, nor do silent ones. */
function healthApart(server: Server): (request: Asked) => void {
  const pools = new Pools(server, POOLS, "silent");
  const others = new WeakSet<Socket>();
  return ({ socket, url = "" }) => {
    if (!HEALTH.test(url)) others.add(socket);
    pools.enter(socket, others.has(socket) ? "others" : "health");
  };
}

function tellStarting(_request: unknown, response: ServerResponse): void {
  const body = JSON.stringify({ error: "The agent is starting. Ask again in a moment.", code: "AGENT_STARTING" });
  response.writeHead(503, { "content-type": JSON_TYPE, "retry-after": "1" });
  response.end(body);
}
