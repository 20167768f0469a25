/**
 * An HTTP server that listens before there is an agent: what cannot be had ends the start with nothing begun, and who asks early
 * is told to ask again. Its connections are bounded, and the bound keeps nobody out: the oldest one gives way.
 */
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Surface } from "./surfaces.js";

const MAX_HEADER_BYTES = 1024 * 1024;
/** A request of anybody must have arrived whole within this time, milliseconds. */
const OPEN_REQUEST_TIMEOUT = 30_000;
/** How often Node looks for requests that are late, milliseconds. */
const LOOK_FOR_LATE = 5_000;
const MAX_OPEN_CONNECTIONS = 256;
const MAX_OWN_CONNECTIONS = 1_024;

export class HttpDoor {
  readonly server: Server;

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

  /** From now on requests are answered. */
  serve(answer: RequestListener): Server {
    this.server.off("request", tellStarting);
    return this.server.on("request", answer);
  }

  /** Ends all requests, streams too. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }
}

export function tellStarting(_request: unknown, response: ServerResponse): void {
  const body = JSON.stringify({ error: "The agent is starting. Ask again in a moment.", code: "AGENT_STARTING" });
  response.writeHead(503, { "content-type": "application/json; charset=utf-8", "retry-after": "1" });
  response.end(body);
}

/** A connection beyond the bound ends the one that has been there longest: nobody who holds many keeps others out. */
export function giveWay(server: Pick<Server, "on">, most: number): void {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    if (open.size <= most) return;
    const [oldest] = open;
    oldest?.destroy();
  });
}
