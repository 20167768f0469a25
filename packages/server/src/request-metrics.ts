/** Tells the agent of each request, for the kubelet's metrics of its HTTP servers. */
import type { FastifyInstance } from "fastify";
import type { ServerContext } from "./server-context.js";

/** Their answers go on for as long as somebody listens. */
const LONG_RUNNING = ["exec", "port-forward", "logs"];

export function countRequests(
  app: FastifyInstance,
  { api }: Pick<ServerContext, "api">,
  serverType: "readwrite" | "readonly",
): void {
  app.addHook("onRequest", async (request, reply) => {
    const { method } = request;
    // The route, not what was asked for: anybody may ask for anything, and each path is a series of its own.
    const asked = request.url.split("?")[0] ?? "";
    const route = request.routeOptions.url ?? (api.metricPaths().includes(asked) ? asked : undefined);
    const path = route?.split("/")[1] || "others";
    const { watch, follow } = (request.query ?? {}) as Readonly<Record<string, unknown>>;
    const longRunning = LONG_RUNNING.includes(path) || watch !== undefined || follow !== undefined;
    const over = api.httpRequest({ method, path, serverType, longRunning });
    reply.raw.once("close", over);
  });
}
