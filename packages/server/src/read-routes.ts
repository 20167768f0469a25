/** What can be read of pods, events, decisions and statistics. `/explain` and `/stats/summary` ask plugins. */

import type { Pod } from "@hooklet/manifest";
import { NDJSON, type PodChange } from "@hooklet/streams";
import { invalid } from "@hooklet/utils";
import type { FastifyInstance } from "fastify";
import type { Event } from "kubernetes-types/core/v1.js";
import { z } from "zod";
import type { Endpoint } from "./endpoints.js";
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

interface Reading {
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

// The changes between two lists of pods, as events of a Kubernetes watch.

/** Remembers the last list; each call tells what is new since. */
function podDiff(): (pods: readonly Pod[]) => readonly PodChange[] {
  let known = new Map<string, { readonly pod: Pod; readonly text: string }>();
  return (pods) => {
    const changes: PodChange[] = [];
    const next: typeof known = new Map();
    for (const pod of pods) {
      const before = known.get(pod.metadata.uid);
      if (before?.pod === pod) {
        next.set(pod.metadata.uid, before);
        continue;
      }
      const text = JSON.stringify(pod);
      next.set(pod.metadata.uid, { pod, text });
      if (before === undefined) changes.push({ type: "ADDED", object: pod });
      else if (before.text !== text) changes.push({ type: "MODIFIED", object: pod });
    }
    for (const [uid, { pod }] of known) if (!next.has(uid)) changes.push({ type: "DELETED", object: pod });
    known = next;
    return changes;
  };
}

/**
 * Events about one object: `pod/NAME` or `node/NAME`, in a namespace (none: any). A pod may be named without its node's
 * suffix where none of `pods` has that very name.
 * @throws NodeAgentError INVALID when `wanted` is not KIND/NAME
 */
export function eventFilter(
  wanted: string | undefined,
  namespace: string | undefined,
  { nodeName, pods }: { readonly nodeName: string; readonly pods: readonly Pick<Pod, "metadata">[] },
): (event: Event) => boolean {
  if (wanted === undefined)
    return ({ involvedObject }) => namespace === undefined || involvedObject.namespace === namespace;
  const [kind, name, ...rest] = wanted.split("/");
  if (kind === undefined || name === undefined || name === "" || rest.length > 0) {
    throw invalid("for", "KIND/NAME, for example pod/web", wanted);
  }
  const singular = kind.toLowerCase().replace(/s$/, "");
  const isIn = (other: string | undefined): boolean =>
    namespace === undefined || other === undefined || other === namespace;
  const isThere = pods.some(({ metadata }) => metadata.name === name && isIn(metadata.namespace));
  const names = isThere ? [name] : [name, `${name}-${nodeName}`];
  return ({ involvedObject }) =>
    involvedObject.kind?.toLowerCase() === singular &&
    isIn(involvedObject.namespace) &&
    names.includes(involvedObject.name ?? "");
}
