/** What the CLI shows beside pods: node, plugins, their views, what can be completed. */
import type { Pod } from "@hooklet/manifest";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { parseInput, text } from "./query.js";
import type { ServerContext } from "./server-context.js";
import type { Surface } from "./surfaces.js";
import { withoutValues } from "./without-values.js";

const podParams = z.object({ namespace: text, name: text });
const viewQuery = z.object({ name: text.min(1) });

export function nodeRoutes(app: FastifyInstance, { api }: ServerContext, reads: Surface["reads"]): void {
  const shown = reads === "whole" ? (pod: Pod): Pod => pod : withoutValues;
  app.get("/version", async () => ({ version: api.version, nodeName: api.nodeName }));
  app.get("/pods/:namespace/:name", async (request) => shown(api.pod(parseInput(podParams, request.params, "path"))));
  app.get("/node", async () => api.node());
  app.get("/plugins", async () => ({ items: api.plugins() }));
  app.get("/views", async () => ({ items: api.views() }));
  app.get("/view", async (request) => api.view(parseInput(viewQuery, request.query).name));
}
