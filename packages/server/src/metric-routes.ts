/** Metrics of core and plugins, and the answer to whatever is no route. */
import type { FastifyInstance } from "fastify";
import type { ServerContext } from "./server-context.js";
import type { Surface } from "./surfaces.js";

export function metricRoutes(app: FastifyInstance, { api }: ServerContext, surface: Surface): void {
  // Plugins name further paths for their metrics; what is none of them is no route.
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    if (request.method === "GET" && api.metricPaths().includes(path)) {
      const metrics = await api.metrics(path);
      if (metrics !== undefined) return reply.code(200).type(metrics.contentType).send(metrics.body);
    }
    const here = `There is no ${request.method} ${path} here`;
    const more = surface.changes ? "" : ` (${surface.name}): ask the control socket`;
    return reply.code(404).send({ error: `${here}${more}.`, code: "NO_ROUTE" });
  });
}
