/** The agent over HTTP. One app a listener: the control socket has every route, the loopback port only what reads. */

import { type FastifyInstance, fastify } from "fastify";
import { changeRoutes } from "./change-routes.js";
import { execRoute } from "./exec-route.js";
import { healthRoutes } from "./health-routes.js";
import { isLocalHost } from "./host-check.js";
import { imageRoutes } from "./image-routes.js";
import { logRoute } from "./log-route.js";
import { nodeRoutes } from "./node-routes.js";
import { portForwardRoute } from "./port-forward-route.js";
import { readRoutes } from "./read-routes.js";
import { countRequests } from "./request-metrics.js";
import type { ServerContext } from "./server-context.js";
import { statsRoutes } from "./stats-routes.js";
import { withWebsockets } from "./upgrade.js";
import { errorAnswer } from "./wire/error-body.js";

/** Bytes of a manifest; larger bodies are 413. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_HEADER_BYTES = 1024 * 1024;
/** Bytes of a request without a manifest. */
const MAX_READ_BODY_BYTES = 16 * 1024;
/** A loopback request must have arrived whole within this time, milliseconds. */
const LOOPBACK_REQUEST_TIMEOUT = 30_000;
const MAX_LOOPBACK_CONNECTIONS = 256;

export type Surface = "socket" | "loopback";

/** The app, not yet listening. Errors of its routes are `{error, code}`; unforeseen ones are logged as well. */
export function buildApp(context: ServerContext, surface: Surface): FastifyInstance {
  const loopback = surface === "loopback";
  const app = fastify({
    bodyLimit: loopback ? MAX_READ_BODY_BYTES : MAX_BODY_BYTES,
    // The socket carries sessions of hours; only root or the owner reaches it.
    requestTimeout: loopback ? LOOPBACK_REQUEST_TIMEOUT : 0,
    keepAliveTimeout: 5_000,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 512 },
    // A command of exec stands in the URL; the kernel takes some 128 KiB.
    ...(!loopback && { http: { maxHeaderSize: MAX_HEADER_BYTES } }),
  });
  countRequests(app, context, loopback ? "readonly" : "readwrite");
  if (loopback) {
    app.server.maxConnections = MAX_LOOPBACK_CONNECTIONS;
    app.addHook("onRequest", async (request, reply) => {
      if (isLocalHost(request.headers.host)) return;
      return reply.code(403).send({
        error: `The Host header must be localhost, 127.0.0.1 or [::1]; found ${JSON.stringify(request.headers.host ?? "")}.`,
        code: "FORBIDDEN",
      });
    });
  }
  app.addHook("onSend", async (_request, reply) => {
    reply.header("x-content-type-options", "nosniff");
    reply.header("cache-control", "no-store");
  });
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = errorAnswer(error);
    if (status >= 500) context.log.error({ err: error, method: request.method, url: request.url }, "A request failed");
    // A stream that broke before its first byte has a type already.
    return reply.code(status).type("application/json; charset=utf-8").send(body);
  });
  healthRoutes(app, context);
  readRoutes(app, context);
  statsRoutes(app, context);
  if (!loopback) {
    nodeRoutes(app, context);
    changeRoutes(app, context);
    imageRoutes(app, context);
    logRoute(app, context);
    withWebsockets(app, (scope) => {
      execRoute(scope, context);
      portForwardRoute(scope, context);
    });
  }
  return app;
}
