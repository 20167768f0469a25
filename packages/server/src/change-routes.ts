/** Routes that change pods and plugins, and dry runs. Control socket only. */
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { count, parseInput, text } from "./query.js";
import type { ServerContext } from "./server-context.js";

const MAX_SECONDS = 2 ** 31 - 1;

const podParams = z.object({ namespace: text, name: text });
const deleteQuery = z.object({ gracePeriodSeconds: count(MAX_SECONDS) });
const applyQuery = z.object({ where: text.default("control socket") });
const planBody = z.strictObject({
  plugin: text.min(1),
  manifest: z.string().optional(),
  arguments: z.record(text, z.string()).default({}),
});
const switchBody = z.strictObject({ name: text.min(1), active: z.boolean() });

export function changeRoutes(app: FastifyInstance, { api }: ServerContext): void {
  const asText = { parseAs: "string" } as const;
  app.addContentTypeParser(["application/yaml", "text/plain"], asText, (_request, body, done) => done(null, body));

  app.post("/apply", async (request) => {
    const { where } = parseInput(applyQuery, request.query);
    return { items: await api.apply(parseInput(z.string(), request.body ?? "", "body"), where) };
  });

  app.delete("/pods/:namespace/:name", async (request) => {
    const { gracePeriodSeconds } = parseInput(deleteQuery, request.query);
    const name = parseInput(podParams, request.params, "path");
    return api.deletePod(name, gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds });
  });

  app.post("/plan", async (request) => {
    const { plugin, manifest, arguments: rest } = parseInput(planBody, request.body, "body");
    return { items: await api.plan(plugin, { ...(manifest === undefined ? {} : { manifest }), arguments: rest }) };
  });

  app.post("/plugins/switch", async (request) => {
    const { name, active } = parseInput(switchBody, request.body, "body");
    api.switchPlugin(name, active);
    return { items: api.plugins() };
  });
}
