/** What can be read of pods, events, decisions and statistics. `/explain` and `/stats/summary` ask plugins. */
import type { Pod } from "@hooklet/manifest";
import { NDJSON } from "@hooklet/streams";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Endpoint } from "./endpoints.js";
import { eventFilter } from "./event-filter.js";
import { podDiff } from "./pod-watch.js";
import { flag, parseInput, text } from "./query.js";
import type { ServerContext } from "./server-context.js";
import type { StreamPool } from "./stream-pool.js";
import { withoutValues } from "./without-values.js";

/** Changes of pods that come close together are sent as one. */
const WATCH_PAUSE_MILLISECONDS = 50;

const podsQuery = z.object({ watch: flag });
const eventsQuery = z.object({ watch: flag, for: text.optional(), namespace: text.optional() });
const summaryQuery = z.object({ only_cpu_and_memory: flag });
const explainQuery = z.object({ kind: text.min(1), name: text.min(1) });

export interface Reading {
  readonly streams: StreamPool;
  readonly endpoint: Pick<Endpoint, "reads" | "client">;
}

export function readRoutes(app: FastifyInstance, { api, clock }: ServerContext, { streams, endpoint }: Reading): void {
  const { reads, client } = endpoint;
  const pods = (): readonly Pod[] => (reads === "whole" ? api.pods() : api.pods().map(withoutValues));

  app.get("/pods", async (request, reply) => {
    if (!parseInput(podsQuery, request.query).watch) {
      return podList(pods());
    }
    const lines = streams.open();
    const changes = podDiff();
    let waiting = false;
    const tell = (): void => {
      waiting = false;
      for (const change of changes(pods())) lines.send(change);
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

  if (client === "apiServer") {
    const running = async () => podList(pods().filter(({ status }) => status?.phase === "Running"));
    for (const path of ["/runningpods", "/runningpods/"]) app.get(path, running);
  }

  app.get("/events", async (request, reply) => {
    const query = parseInput(eventsQuery, request.query);
    const wanted = eventFilter(query.for, query.namespace, { nodeName: api.nodeName, pods: api.pods() });
    if (!query.watch) return { kind: "EventList", apiVersion: "v1", metadata: {}, items: api.events().filter(wanted) };
    const lines = streams.open();
    const stop = api.watchEvents((event) => {
      if (wanted(event)) lines.send(event);
    });
    lines.signal.addEventListener("abort", stop);
    for (const event of api.events()) if (wanted(event)) lines.send(event);
    return reply.type(NDJSON).send(lines.readable);
  });

  app.get("/stats/summary", async (request, reply) => {
    const { only_cpu_and_memory: onlyCpuAndMemory } = parseInput(summaryQuery, request.query);
    const summary = await api.statistics({ onlyCpuAndMemory });
    if (summary !== undefined) return summary;
    return reply.code(503).send({
      error: 'No plugin provides statistics of this node: switch on one that does ("hooklet check" shows which run).',
      code: "NO_STATISTICS",
    });
  });

  app.get("/explain", async (request) => {
    const { kind, name } = parseInput(explainQuery, request.query);
    return { items: [...api.explain(kind, name), ...(await api.explainNow(kind, name))] };
  });

  // Options of plugins and runtimes may contain secrets.
  if (reads === "whole") app.get("/configz", async () => api.configz());
}

function podList(items: readonly Pod[]): object {
  return { kind: "PodList", apiVersion: "v1", metadata: {}, items };
}
