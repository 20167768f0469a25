/** The agent over HTTP: one app a door. Which routes it has, its surface says (surfaces.ts). */

import { type FastifyInstance, fastify } from "fastify";
import { Audit } from "./audit.js";
import { changeRoutes } from "./change-routes.js";
import { execRoute } from "./exec-route.js";
import { healthRoutes } from "./health-routes.js";
import type { HttpDoor } from "./http-door.js";
import { imageRoutes } from "./image-routes.js";
import { logRoute } from "./log-route.js";
import { metricRoutes } from "./metric-routes.js";
import { nodeRoutes } from "./node-routes.js";
import { portForwardRoute } from "./port-forward-route.js";
import { readRoutes } from "./read-routes.js";
import { countRequests } from "./request-metrics.js";
import type { ServerContext } from "./server-context.js";
import { statsRoutes } from "./stats-routes.js";
import { StreamRoom } from "./stream-room.js";
import type { Surface } from "./surfaces.js";
import { withWebsockets } from "./upgrade.js";
import { errorAnswer } from "./wire/error-body.js";
import { ANSWER_HEADERS, JSON_TYPE } from "./wire/headers.js";

/** Bytes of a manifest; larger bodies are 413. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Bytes of a request without a manifest. */
const MAX_READ_BODY_BYTES = 16 * 1024;

/**
 * The app of a door that listens already; once it is ready, the door may serve. Errors of its routes are `{error, code}`; unforeseen ones
 * are logged as well.
 */
export function buildApp(context: ServerContext, surface: Surface, door: HttpDoor): FastifyInstance {
  const app = fastify({
    bodyLimit: surface.changes ? MAX_BODY_BYTES : MAX_READ_BODY_BYTES,
    routerOptions: { maxParamLength: 512 },
    serverFactory: (answer) => door.answerer(answer),
    // Refused before any hook: nobody else would end the connection where the request is an upgrade, whose socket is no longer HTTP's.
    frameworkErrors: (error, { raw: { socket } }, { raw: response }) => {
      const { status, body } = errorAnswer(error);
      response.once("finish", () => socket.destroySoon());
      response.writeHead(status, { ...ANSWER_HEADERS, "content-type": JSON_TYPE, connection: "close" });
      response.end(JSON.stringify(body));
    },
  });
  countRequests(app, context, surface.changes ? "readwrite" : "readonly");
  if (surface.hosts === "local") {
    app.addHook("onRequest", async (request, reply) => {
      if (isLocalHost(request.headers.host)) return;
      return reply.code(403).send({
        error: `The Host header must be localhost, 127.0.0.1 or [::1]; found ${JSON.stringify(request.headers.host ?? "")}.`,
        code: "FORBIDDEN",
      });
    });
  }
  app.addHook("onSend", async (_request, reply) => {
    reply.headers(ANSWER_HEADERS);
  });
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = errorAnswer(error);
    // What a runtime cannot do, or not now, is an answer like any other.
    if (status === 500) context.log.error({ err: error, method: request.method, url: request.url }, "A request failed");
    // A stream that broke before its first byte has a type already.
    return reply.code(status).type(JSON_TYPE).send(body);
  });
  const streams = new StreamRoom(surface.streams, context.clock);
  healthRoutes(app, context);
  metricRoutes(app, context, surface);
  if (surface.reads !== "none") {
    readRoutes(app, context, { streams, reads: surface.reads });
    statsRoutes(app, context);
  }
  if (surface.tables) nodeRoutes(app, context, surface.reads);
  if (surface.changes) {
    const audit = new Audit(context);
    changeRoutes(app, context, audit);
    imageRoutes(app, context, audit);
    logRoute(app, context, streams);
    withWebsockets(app, (scope) => {
      execRoute(scope, context, audit);
      portForwardRoute(scope, context, audit);
    });
  }
  return app;
}

const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Whether a Host header names this machine's loopback. Guards the ports against DNS rebinding: a web page whose name resolves to
 * 127.0.0.1 still sends its own name.
 */
function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && LOCAL.test(host);
}
