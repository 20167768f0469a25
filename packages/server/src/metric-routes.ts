/** Metrics of core and plugins, and the answer for unknown routes. */
import type { AgentApi } from "@hooklet/core/host";
import type { FastifyInstance } from "fastify";
import type { Endpoint } from "./endpoints.js";
import { otherVersion, type ServerContext } from "./server-context.js";

type Metrics = Awaited<ReturnType<AgentApi["metrics"]>>;

export function metricRoutes(app: FastifyInstance, { api }: ServerContext, endpoint: Endpoint): void {
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
