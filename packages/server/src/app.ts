/** The agent over HTTP: one app for each endpoint, which says what routes it has (endpoints.ts). */

import type { RequestListener, Server } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AgentApi, HealthReport } from "@hooklet/core/host";
import { errorText, withDeadline } from "@hooklet/utils";
import { type FastifyInstance, type FastifyReply, fastify } from "fastify";
import type { Audit } from "./audit.js";
import { callRoutes } from "./call-routes.js";
import { containerLogsRoute } from "./container-logs.js";
import type { Endpoint } from "./endpoints.js";
import { ANSWER_HEADERS, errorAnswer, JSON_TYPE, TEXT_TYPE } from "./error-answer.js";
import { readRoutes } from "./read-routes.js";
import { otherVersion, type ServerContext } from "./server-context.js";
import { StreamPool } from "./stream-pool.js";
import { upgradeRequiredRoutes } from "./streams/upgrades.js";

/** Bytes of a manifest; larger bodies are 413. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Bytes of a request without a manifest. */
const MAX_READ_BODY_BYTES = 16 * 1024;

interface AppParts {
  /** Creates the server for the app's request listener. */
  readonly serverFactory: (answer: RequestListener) => Server | HttpsServer;
  readonly endpoint: Endpoint;
  readonly audit: Audit;
}

/** The app of a server that listens already; once it is ready, the server may ask it. Uncaught errors of its routes are logged as well. */
export function buildApp(context: ServerContext, { serverFactory, endpoint, audit }: AppParts): FastifyInstance {
  const app = fastify({
    bodyLimit: endpoint.changes ? MAX_BODY_BYTES : MAX_READ_BODY_BYTES,
    routerOptions: { maxParamLength: 512 },
    serverFactory,
    frameworkErrors: (error, _request, reply) => {
      void sendError(reply.headers(ANSWER_HEADERS), error, endpoint.client);
    },
  });
  countRequests(app, context, endpoint.changes || endpoint.client === "apiServer" ? "readwrite" : "readonly");
  if (endpoint.hosts === "local") {
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
  app.setErrorHandler((error, { method, url }, reply) => {
    // What a runtime cannot do, or not now, is an answer like any other.
    if (errorAnswer(error).status === 500) context.log.error({ err: error, method, url }, "A request failed");
    return sendError(reply, error, endpoint.client);
  });
  const streams = new StreamPool(endpoint.streams, context.clock);
  healthRoutes(app, context);
  metricRoutes(app, context, endpoint);
  if (endpoint.reads !== "none") readRoutes(app, context, { streams, endpoint });
  if (endpoint.tables) {
    const { version, nodeName } = context.api;
    app.get("/version", async () => ({ version, nodeName }));
    callRoutes(app, context, { audit, endpoint });
  }
  if (endpoint.pods) {
    containerLogsRoute(app, context, { streams, client: endpoint.client });
    upgradeRequiredRoutes(app);
  }
  return app;
}

/** Tells the agent of each request, for the kubelet's metrics of its HTTP servers. */
function countRequests(
  app: FastifyInstance,
  { api }: Pick<ServerContext, "api">,
  serverType: "readwrite" | "readonly",
): void {
  app.addHook("onRequest", async (request, reply) => {
    const { method } = request;
    // The route, not the requested path: clients may request anything, and each path would be another series.
    const asked = request.url.split("?")[0] ?? "";
    const route = request.routeOptions.url ?? (api.metricPaths().includes(asked) ? asked : undefined);
    const path = route?.split("/")[1] || "others";
    const { watch, follow } = (request.query ?? {}) as Readonly<Record<string, unknown>>;
    const longRunning = path === "containerLogs" || watch !== undefined || follow !== undefined;
    const over = api.httpRequest({ method, path, serverType, longRunning });
    reply.raw.once("close", over);
  });
}

function sendError(reply: FastifyReply, error: unknown, client: Endpoint["client"]): FastifyReply {
  const { status, body } = errorAnswer(error);
  // A stream that broke before its first byte has a type already.
  return client === "person"
    ? reply.code(status).type(JSON_TYPE).send(body)
    : reply.code(status).type(TEXT_TYPE).send(body.error);
}

const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Whether a Host header names this machine's loopback. Guards the ports against DNS rebinding: a web page whose name resolves to
 * 127.0.0.1 still sends its own name.
 */
function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && LOCAL.test(host);
}

// Metrics of core and plugins, and the answer for unknown routes.

type Metrics = Awaited<ReturnType<AgentApi["metrics"]>>;

function metricRoutes(app: FastifyInstance, { api }: ServerContext, endpoint: Endpoint): void {
  // Concurrent requests for the same metrics share one collection: many at once cost no more than one.
  const gathering = new Map<string, Promise<Metrics>>();
  const gathered = (path: string): Promise<Metrics> => {
    const begun = gathering.get(path) ?? api.metrics(path).finally(() => gathering.delete(path));
    gathering.set(path, begun);
    return begun;
  };
  // Plugins name further paths for their metrics; what is none of them is no route.
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    if (endpoint.metrics && request.method === "GET" && api.metricPaths().includes(path)) {
      const metrics = await gathered(path);
      if (metrics !== undefined) return reply.code(200).type(metrics.contentType).send(metrics.body);
    }
    const here = `There is no ${request.method} ${path} here`;
    const more = endpoint.changes ? otherVersion(api) : ` (${endpoint.name}): ask the control socket.`;
    return reply.code(404).send({ error: `${here}${more}`, code: "NO_ROUTE" });
  });
}

// `/healthz` and `/readyz` as the kubelet serves them: `ok`, or 500 naming the part that fails.

const DEADLINE_MILLISECONDS = 10_000;

/** The answer's text: `ok`, or with `verbose` and when something fails a line for each part. */
export function healthText(check: string, report: HealthReport, verbose: boolean): string {
  if (report.ok && !verbose) return "ok";
  const lines = report.parts.map(({ name, ok, message }) =>
    ok
      ? `[+]${name} ok${message === undefined ? "" : `: ${message}`}`
      : `[-]${name} failed: ${message ?? "no reason given"}`,
  );
  return `${[...lines, `${check} check ${report.ok ? "passed" : "failed"}`].join("\n")}\n`;
}

function healthRoutes(app: FastifyInstance, { api, clock }: ServerContext): void {
  const ask = async (work: () => Promise<HealthReport>): Promise<HealthReport> => {
    try {
      return await withDeadline(
        clock,
        DEADLINE_MILLISECONDS,
        work(),
        () => new Error(`no answer within ${DEADLINE_MILLISECONDS / 1000} s`),
      );
    } catch (error) {
      return { ok: false, parts: [{ name: "agent", ok: false, message: errorText(error) }] };
    }
  };
  const send = (reply: FastifyReply, check: string, report: HealthReport, query: unknown): FastifyReply =>
    reply
      .code(report.ok ? 200 : 500)
      .type("text/plain; charset=utf-8")
      .send(healthText(check, report, typeof query === "object" && query !== null && "verbose" in query));

  app.get("/healthz", async (request, reply) => send(reply, "healthz", await ask(() => api.health()), request.query));
  app.get("/readyz", async (request, reply) => send(reply, "readyz", await ask(() => api.ready()), request.query));
  app.get<{ Params: { "*": string } }>("/healthz/*", async (request, reply) => {
    const name = request.params["*"];
    const part = (await ask(() => api.health())).parts.find((candidate) => candidate.name === name);
    if (part === undefined) return reply.callNotFound();
    return send(reply, `healthz/${name}`, { ok: part.ok, parts: [part] }, request.query);
  });
}
