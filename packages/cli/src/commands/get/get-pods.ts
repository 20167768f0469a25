/** `get pods`: a table, a watch, or objects. */

import type { Pod } from "@hooklet/manifest";
import { errorText, invalid } from "@hooklet/utils";
import type { AgentClient } from "../../client/agent-client.js";
import type { Context } from "../../context.js";
import { tell } from "../../io.js";
import { podName } from "../../pod-argument.js";
import { podObject } from "../../print/object-text.js";
import { outputFormat } from "../../print/output-format.js";
import { podRows } from "../../print/pod-table.js";
import { parseFieldSelector, parseSelector, podFields } from "../../selector.js";
import { type Kind, showAll, WatchPrinter } from "../../show.js";
import type { GetOptions } from "./resources.js";

export async function getPods(
  context: Context,
  client: AgentClient,
  words: readonly string[],
  options: GetOptions,
): Promise<number> {
  const names = words.map(podName);
  const isMeant = podFilter(names, options);
  const format = outputFormat(options.output);
  const kind = podKind(context, options);
  const { pods, errors } = await found(client, names, options, isMeant);
  const headers = options.headers !== false;
  const { namespace = "default", allNamespaces = false, watch = false, watchOnly = false } = options;
  const nothing = allNamespaces ? "No resources found" : `No resources found in ${namespace} namespace.`;
  if (watch || watchOnly) {
    for (const error of errors) throw error;
    const printer = new WatchPrinter(context, { kind, format, headers });
    if (!watchOnly) await printer.print(pods);
    const named = new Set(pods.map(({ metadata }) => metadata.name));
    return follow(client, printer, pods, (pod) => isMeant(pod) && (names.length === 0 || named.has(pod.metadata.name)));
  }
  if (pods.length > 0 || errors.length === 0)
    await showAll(context, kind, pods, { format, headers, single: names.length === 1, nothing });
  for (const error of errors) await tell(context.io, `error: ${errorText(error)}`);
  return errors.length === 0 ? 0 : 1;
}

function podFilter(names: readonly string[], options: GetOptions): (pod: Pod) => boolean {
  const { selector, fieldSelector, namespace = "default", allNamespaces = false } = options;
  if (names.length > 0 && (selector !== undefined || fieldSelector !== undefined))
    throw invalid("get pods", "names of pods or a selector, not both", "both");
  const byLabels = parseSelector(selector ?? "");
  const byFields = parseFieldSelector(fieldSelector ?? "", podFields);
  return (pod) =>
    (allNamespaces || pod.metadata.namespace === namespace) && byLabels(pod.metadata.labels ?? {}) && byFields(pod);
}

/** Those that there are, and what was said of the others. */
async function found(
  client: AgentClient,
  names: readonly string[],
  { namespace = "default" }: GetOptions,
  isMeant: (pod: Pod) => boolean,
): Promise<{ readonly pods: readonly Pod[]; readonly errors: readonly unknown[] }> {
  if (names.length === 0) return { pods: (await client.pods()).filter(isMeant), errors: [] };
  const answers = await Promise.allSettled(names.map((name) => client.pod({ name, namespace })));
  return {
    pods: answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : [])),
    errors: answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : [])),
  };
}

function podKind({ io }: Context, { allNamespaces = false, showLabels = false }: GetOptions): Kind<Pod> {
  return {
    name: ({ metadata }) => `pod/${metadata.name}`,
    object: podObject,
    rows: (pods, wide) => podRows(pods, { wide, namespaces: allNamespaces, labels: showLabels, now: io.clock.now() }),
  };
}

/** Until the agent goes or the user interrupts. What was shown already is not shown again. */
async function follow(
  client: AgentClient,
  printer: WatchPrinter<Pod>,
  before: readonly Pod[],
  isMeant: (pod: Pod) => boolean,
): Promise<number> {
  const shown = new Map(before.map((pod) => [pod.metadata.uid, JSON.stringify(pod)]));
  for await (const { type, object } of client.watchPods()) {
    if (!isMeant(object)) continue;
    const text = JSON.stringify(object);
    if (type !== "DELETED" && shown.get(object.metadata.uid) === text) continue;
    shown.set(object.metadata.uid, text);
    await printer.print([object]);
  }
  return 0;
}
