/** Routes of both listeners: they change nothing and run no plugin's code but views of metrics. */
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { eventFilter } from "./event-filter.js";
import { lineStream } from "./line-stream.js";
import { podDiff } from "./pod-watch.js";
import { flag, parseInput, text } from "./query.js";
import type { ServerContext } from "./server-context.js";

const NDJSON = "application/x-ndjson";
/** Changes of pods that come close together are sent as one. */
const WATCH_PAUSE_MILLISECONDS = 50;

const podsQuery = z.object({ watch: flag });
const eventsQuery = z.object({ watch: flag, for: text.optional(), namespace: text.optional() });
const explainQuery = z.object({ kind: text.min(1), name: text.min(1) });

export function readRoutes(app: FastifyInstance, { api, clock }: ServerContext): void {
  app.get("/pods", async (request, reply) => {
    if (!parseInput(podsQuery, request.query).watch) {
      return { kind: "PodList", apiVersion: "v1", metadata: {}, items: api.pods() };
    }
    const lines = lineStream();
    const changes = podDiff();
    let waiting = false;
    const tell = (): void => {
      waiting = false;
      for (const change of changes(api.pods())) lines.send(change);
    };
    const stop = api.watchPods(() => {
      if (waiting || lines.closed) return;
      waiting = true;
      clock.schedule(WATCH_PAUSE_MILLISECONDS, tell);
    });
    lines.signal.addEventListener("abort", stop);
    tell();
    return reply.type(NDJSON).send(lines.readable);
  });

  app.get("/events", async (request, reply) => {
    const query = parseInput(eventsQuery, request.query);
    const wanted = eventFilter(query.for, query.namespace, api.nodeName);
    if (!query.watch) return { kind: "EventList", apiVersion: "v1", metadata: {}, items: api.events().filter(wanted) };
    const lines = lineStream();
    const stop = api.watchEvents((event) => {
      if (wanted(event)) lines.send(event);
    });
    lines.signal.addEventListener("abort", stop);
    for (const event of api.events()) if (wanted(event)) lines.send(event);
    return reply.type(NDJSON).send(lines.readable);
  });

  app.get("/explain", async (request) => {
    const { kind, name } = parseInput(explainQuery, request.query);
    return { items: [...api.explain(kind, name), ...(await api.explainNow(kind, name))] };
  });

  app.get("/configz", async () => api.configz());

  // Plugins name further paths for their metrics; what is none of them is no route.
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    if (request.method === "GET" && api.metricPaths().includes(path)) {
      const metrics = await api.metrics(path);
      if (metrics !== undefined) return reply.code(200).type(metrics.contentType).send(metrics.body);
    }
    return reply.code(404).send({ error: `There is no ${request.method} ${path} here.`, code: "NO_ROUTE" });
  });
}
