/** Websockets on the control socket: an upgrade goes the way of every request, through hooks and checks, before it is one. */
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errorText, invalid, NodeAgentError } from "@hooklet/core/base";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import { MAX_MESSAGE_BYTES, negotiate, PROTOCOLS } from "./channels/protocol.js";

interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
}

/** A route of `withWebsockets`. `check` throws for what is refused by HTTP; `serve` has the connection. */
export type WebsocketRoute = (
  path: string,
  check: (request: FastifyRequest) => void,
  serve: (socket: WebSocket, request: FastifyRequest) => Promise<void>,
) => void;

/** When the app closes, the connections of its websockets break off at once. */
export function withWebsockets(app: FastifyInstance, routes: (route: WebsocketRoute) => void): void {
  const websockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => negotiate(offered) ?? false,
  });
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  app.server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    upgrades.set(request, { socket, head });
    // Nobody else listens until it is a websocket.
    socket.on("error", breakOff);
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    app.routing(request, response);
  });
  // What was answered by HTTP is no websocket, and nobody reads on.
  app.addHook("onResponse", async ({ raw }) => {
    upgrades.get(raw)?.socket.destroy();
  });
  app.addHook("preClose", (done) => {
    for (const client of websockets.clients) client.terminate();
    websockets.close(() => done());
  });
  routes((path, check, serve) => {
    const preValidation = async (request: FastifyRequest): Promise<void> => {
      requireProtocol(request, upgrades.has(request.raw));
      check(request);
    };
    app.get(path, { preValidation, exposeHeadRoute: false }, (request, reply) => {
      const upgrade = upgrades.get(request.raw);
      if (upgrade === undefined) return;
      reply.hijack();
      upgrade.socket.off("error", breakOff);
      websockets.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (client) => {
        // How it broke is told to who reads from it.
        client.on("error", () => client.terminate());
        serve(client, request).catch((error: unknown) => {
          request.log.error(errorText(error));
          client.terminate();
        });
      });
    });
  });
}

function breakOff(this: Socket): void {
  this.destroy();
}

/** Refuses, while it can still be done by HTTP, a request that is no upgrade or speaks no known protocol. */
function requireProtocol(request: FastifyRequest, isUpgrade: boolean): void {
  if (!isUpgrade) throw new NodeAgentError("INVALID", "This is a websocket: send the request as an upgrade to one.");
  const offered = String(request.headers["sec-websocket-protocol"] ?? "");
  if (negotiate(offered.split(",").map((one) => one.trim())) === undefined) {
    throw invalid("Sec-WebSocket-Protocol", `one of ${PROTOCOLS.join(", ")}`, offered);
  }
}
