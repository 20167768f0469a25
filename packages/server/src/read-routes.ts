/** What can be read of pods, events and decisions. `/explain` asks plugins as well. */
import type { Pod } from "@hooklet/manifest";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { eventFilter } from "./event-filter.js";
import { podDiff } from "./pod-watch.js";
import { flag, parseInput, text } from "./query.js";
import type { ServerContext } from "./server-context.js";
import type { StreamRoom } from "./stream-room.js";
import type { Surface } from "./surfaces.js";
import { withoutValues } from "./without-values.js";

const NDJSON = "application/x-ndjson";
/** Changes of pods that come close together are sent as one. */
const WATCH_PAUSE_MILLISECONDS = 50;

const podsQuery = z.object({ watch: flag });
const eventsQuery = z.object({ watch: flag, for: text.optional(), namespace: text.optional() });
const explainQuery = z.object({ kind: text.min(1), name: text.min(1) });

export interface Reading {
  readonly streams: StreamRoom;
  readonly reads: Exclude<Surface["reads"], "none">;
}

export function readRoutes(app: FastifyInstance, { api, clock }: ServerContext, { streams, reads }: Reading): void {
  const pods = (): readonly Pod[] => (reads === "whole" ? api.pods() : api.pods().map(withoutValues));

  app.get("/pods", async (request, reply) => {
    if (!parseInput(podsQuery, request.query).watch) {
      return { kind: "PodList", apiVersion: "v1", metadata: {}, items: pods() };
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

  app.get("/events", async (request, reply) => {
    const query = parseInput(eventsQuery, request.query);
    const wanted = eventFilter(query.for, query.namespace, api.nodeName);
    if (!query.watch) return { kind: "EventList", apiVersion: "v1", metadata: {}, items: api.events().filter(wanted) };
    const lines = streams.open();
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

  // Options of plugins and runtimes may hold secrets of their own.
  if (reads === "whole") app.get("/configz", async () => api.configz());
}
