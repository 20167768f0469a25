/** Websockets on the control socket. */
import websocket from "@fastify/websocket";
import { invalid, NodeAgentError } from "@hooklet/core/base";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { MAX_MESSAGE_BYTES, negotiate, PROTOCOLS } from "./channels/protocol.js";

/** Routes of `routes` may be websockets. When the app closes, their connections break off at once. */
export function withWebsockets(app: FastifyInstance, routes: (scope: FastifyInstance) => void): void {
  app.register(websocket, {
    options: {
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      handleProtocols: (offered) => negotiate(offered) ?? false,
    },
    preClose(this: FastifyInstance, done) {
      for (const client of this.websocketServer.clients) client.terminate();
      this.websocketServer.close(done);
    },
  });
  app.register(async (scope) => routes(scope));
}

/** Refuses, while it can still be done by HTTP, a request that is no upgrade, speaks no known protocol, or asks for nothing proper. */
export function requireProtocol(check: (request: FastifyRequest) => void) {
  return async (request: FastifyRequest): Promise<void> => {
    if (!request.ws) throw new NodeAgentError("INVALID", "This is a websocket: send the request as an upgrade to one.");
    const offered = String(request.headers["sec-websocket-protocol"] ?? "");
    if (negotiate(offered.split(",").map((one) => one.trim())) === undefined) {
      throw invalid("Sec-WebSocket-Protocol", `one of ${PROTOCOLS.join(", ")}`, offered);
    }
    check(request);
  };
}
