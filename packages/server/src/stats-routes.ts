/** `/stats/summary`: what the plugin that provides statistics has read, at most ten seconds old. */
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { flag, parseInput } from "./query.js";
import type { ServerContext } from "./server-context.js";

const summaryQuery = z.object({ only_cpu_and_memory: flag });

export function statsRoutes(app: FastifyInstance, { api }: ServerContext): void {
  app.get("/stats/summary", async (request, reply) => {
    const { only_cpu_and_memory: onlyCpuAndMemory } = parseInput(summaryQuery, request.query);
    const summary = await api.statistics({ onlyCpuAndMemory });
    if (summary !== undefined) return summary;
    return reply.code(503).send({
      error: 'No plugin provides statistics of this node: switch on one that does ("hooklet check" shows which run).',
      code: "NO_STATISTICS",
    });
  });
}
