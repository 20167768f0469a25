/** Routes that change pods and plugins, and dry runs. Control socket only. */
import { namespacedName } from "@hooklet/manifest";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Audit } from "./audit.js";
import { count, parseInput, text } from "./query.js";
import type { ServerContext } from "./server-context.js";

const MAX_SECONDS = 2 ** 31 - 1;

const podParams = z.object({ namespace: text, name: text });
const objectParams = z.object({ kind: z.enum(["ConfigMap", "Secret"]), namespace: text, name: text });
const deleteQuery = z.object({ gracePeriodSeconds: count(MAX_SECONDS) });
const applyQuery = z.object({ where: text.default("control socket") });
const planBody = z.strictObject({
  plugin: text.min(1),
  manifest: z.string().optional(),
  arguments: z.record(text, z.string()).default({}),
});
const switchBody = z.strictObject({ name: text.min(1), active: z.boolean() });

export function changeRoutes(app: FastifyInstance, { api }: ServerContext, audit: Audit): void {
  const asText = { parseAs: "string" } as const;
  app.addContentTypeParser(["application/yaml", "text/plain"], asText, (_request, body, done) => done(null, body));

  app.post("/apply", async (request) => {
    const { where } = parseInput(applyQuery, request.query);
    const manifest = parseInput(z.string(), request.body ?? "", "body");
    return audit.of(
      request,
      `apply ${where}`,
      async () => ({ items: await api.apply(manifest, where) }),
      ({ items }) => items.map(({ subject, action }) => `${subject} ${action}`).join(", "),
    );
  });

  app.delete("/pods/:namespace/:name", async (request) => {
    const { gracePeriodSeconds } = parseInput(deleteQuery, request.query);
    const name = parseInput(podParams, request.params, "path");
    const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    const words = gracePeriodSeconds === undefined ? "" : ` within ${gracePeriodSeconds} s`;
    return audit.of(request, `delete pod ${namespacedName(name)}${words}`, () => api.deletePod(name, grace));
  });

  app.delete("/objects/:kind/:namespace/:name", async (request) => {
    const { kind, ...name } = parseInput(objectParams, request.params, "path");
    const what = `delete ${kind.toLowerCase()} ${namespacedName(name)}`;
    return audit.of(request, what, async () => {
      await api.deleteObject(kind, name);
      return {};
    });
  });

  app.post("/plan", async (request) => {
    const { plugin, manifest, arguments: rest } = parseInput(planBody, request.body, "body");
    return { items: await api.plan(plugin, { ...(manifest === undefined ? {} : { manifest }), arguments: rest }) };
  });

  app.post("/plugins/switch", async (request) => {
    const { name, active } = parseInput(switchBody, request.body, "body");
    return audit.of(request, `switch plugin ${name} ${active ? "on" : "off"}`, async () => {
      api.switchPlugin(name, active);
      return { items: api.plugins() };
    });
  });
}
