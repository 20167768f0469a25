import type { NodeStatistics } from "@hooklet/core/subsystem";
import type { Pod } from "@hooklet/manifest";
import { invalid, NodeAgentError, notFound, sleep } from "@hooklet/utils";
import type { AgentClient } from "../client/agent-client.js";
import { type Context, withAgent } from "../context.js";
import { printLine, tell } from "../io.js";
import { podName, podsNamed, singular } from "../pod-argument.js";
import { podUsage, type SortBy, topNode, topPods } from "../print/top.js";
import { parseSelector } from "../selector.js";

export interface TopCommandOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly containers?: boolean;
  readonly selector?: string;
  readonly sortBy?: SortBy;
  readonly sum?: boolean;
  readonly showCapacity?: boolean;
  /** `--no-headers`. */
  readonly headers: boolean;
}

/** Milliseconds: usage per second takes two readings, and the agent keeps one for ten seconds. */
const PATIENCE = 15_000;
const PAUSE = 1_000;

/** `hooklet top pods|node`, as kubectl top shows them. */
export function top(
  context: Context,
  kind: string,
  names: readonly string[],
  options: TopCommandOptions,
): Promise<number> {
  return withAgent(context, async (client) => {
    const [what = kind, slashName] = kind.split("/");
    if (["node", "nodes", "no"].includes(what)) return showNode(context, client, options);
    if (singular(what) !== "pod") throw invalid("top", "pods or node", kind);
    const wanted = (slashName === undefined ? names : [slashName, ...names]).map(podName);
    return showPods(context, client, wanted, options);
  });
}

async function showNode(context: Context, client: AgentClient, options: TopCommandOptions): Promise<number> {
  const { capacity, allocatable } = await client.node();
  const total = options.showCapacity ? capacity : allocatable;
  const shown = await patiently(context, client, (statistics) => topNode(statistics, total, options.headers));
  if (shown === undefined) throw notYet("the node");
  await printLine(context.io.stdout, shown);
  return 0;
}

async function showPods(
  context: Context,
  client: AgentClient,
  names: readonly string[],
  options: TopCommandOptions,
): Promise<number> {
  const { namespace = "default", allNamespaces = false, selector, containers = false, sum = false, sortBy } = options;
  if (names.length > 0 && selector !== undefined)
    throw invalid("top pods", "names of pods or --selector, not both", "both");
  const matches = selector === undefined ? undefined : parseSelector(selector);
  const own = (await client.pods()).filter(({ metadata }) => allNamespaces || metadata.namespace === namespace);
  const meant =
    names.length > 0 ? podsNamed(own, names) : own.filter((pod) => matches?.(pod.metadata.labels ?? {}) ?? true);
  const missing = names.find((name) => podsNamed(meant, [name]).length === 0);
  if (missing !== undefined)
    throw notFound(
      "pod",
      missing,
      own.map(({ metadata }) => metadata.name),
    );
  const uids = new Set(meant.map(({ metadata }) => metadata.uid));
  const found = await patiently(context, client, async ({ pods }) => {
    const measured = pods.filter(({ podRef }) => uids.has(podRef.uid));
    if (measured.some((pod) => podUsage(pod) !== undefined)) return measured;
    // Of a container that crashes again and again there may never be two readings.
    const runs = (await client.pods()).some((pod) => uids.has(pod.metadata.uid) && hasRunning(pod));
    return runs ? undefined : [];
  });
  if (found === undefined) throw notYet("these pods");
  if (found.length === 0 && names.length > 0) throw notRunning(meant);
  if (found.length === 0) {
    const where = allNamespaces ? "" : ` in ${namespace} namespace.`;
    await tell(context.io, `No resources found${where}`);
    return 0;
  }
  const shown = { namespaces: allNamespaces, containers, sum, headers: options.headers };
  await printLine(context.io.stdout, topPods(found, { ...shown, ...(sortBy !== undefined && { sortBy }) }));
  return 0;
}

/** Asks until there is an answer; undefined when it takes too long. */
async function patiently<T>(
  { io }: Context,
  client: AgentClient,
  of: (statistics: NodeStatistics) => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  const began = io.clock.monotonic();
  for (;;) {
    const answer = await of(await client.statistics());
    if (answer !== undefined || io.clock.monotonic() - began >= PATIENCE) return answer;
    await sleep(io.clock, PAUSE);
  }
}

function hasRunning({ status }: Pod): boolean {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  return [...initContainerStatuses, ...containerStatuses].some(({ state }) => state?.running !== undefined);
}

function notRunning(pods: readonly Pod[]): Error {
  const [first] = pods.map(({ metadata }) => metadata.name);
  const which = pods.length === 1 ? `pod ${first}` : "these pods";
  const text = `Metrics not available: no container of ${which} is running. hooklet explain pod ${pods.length === 1 ? first : "NAME"} says why.`;
  return new NodeAgentError("NOT_FOUND", text);
}

function notYet(what: string): Error {
  return new NodeAgentError(
    "NOT_FOUND",
    `Metrics not available for ${what} yet: they started a moment ago. Try again.`,
  );
}
