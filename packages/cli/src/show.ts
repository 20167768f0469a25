/** Pods and events on standard output, in the format asked for. */

import type { Pod } from "@hooklet/manifest";
import type { AgentClient } from "./client/client.js";
import type { Context } from "./context.js";
import { printLine } from "./io.js";
import { eventTable } from "./print/event-table.js";
import { listOf, podObject, toText } from "./print/objects.js";
import { podTable } from "./print/pod-table.js";

export interface ReadOptions {
  readonly output?: "wide" | "json" | "yaml";
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
}

/** All pods of a namespace, or the named ones. One name as json or yaml is one object, otherwise a List. */
export async function showPods(
  { io }: Context,
  client: AgentClient,
  names: readonly string[],
  { output, namespace = "default", allNamespaces = false }: ReadOptions,
): Promise<number> {
  const pods: readonly Pod[] =
    names.length > 0
      ? await Promise.all(names.map((name) => client.pod({ name, namespace })))
      : (await client.pods()).filter((pod) => allNamespaces || pod.metadata.namespace === namespace);
  const [only] = pods;
  if (output === "json" || output === "yaml") {
    const value = names.length === 1 && only !== undefined ? podObject(only) : listOf(pods.map(podObject));
    await printLine(io.stdout, await toText(value, output));
  } else if (pods.length === 0) {
    await printLine(io.stderr, allNamespaces ? "No resources found" : `No resources found in ${namespace} namespace.`);
  } else {
    const options = { wide: output === "wide", namespaces: allNamespaces, now: io.clock.now() };
    await printLine(io.stdout, podTable(pods, options));
  }
  return 0;
}

export async function showEvents(
  { io }: Context,
  client: AgentClient,
  options: ReadOptions & { for?: string },
): Promise<number> {
  const { output, namespace, for: wanted } = options;
  const events = await client.events({
    ...(wanted === undefined ? {} : { for: wanted }),
    ...(namespace === undefined ? {} : { namespace }),
  });
  if (output === "yaml") await printLine(io.stdout, await toText(listOf(events), "yaml"));
  else if (output === "json") for (const event of events) await printLine(io.stdout, JSON.stringify(event));
  else if (events.length === 0) await printLine(io.stderr, "No events found.");
  else await printLine(io.stdout, eventTable(events, io.clock.now()));
  return 0;
}
