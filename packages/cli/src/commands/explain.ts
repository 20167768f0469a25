import type { Decision } from "@hooklet/core";
import { namespacedName, type Pod } from "@hooklet/manifest";
import { invalid, isNodeAgentError, NodeAgentError } from "@hooklet/utils";
import type { AgentClient } from "../client/agent-client.js";
import { type Context, withAgent } from "../context.js";
import { printLine, tell } from "../io.js";
import { type LastLogLines, lastLogLinesOverSocket } from "../last-log-lines.js";
import { singular } from "../pod-argument.js";
import { causeOf } from "../print/cause/cause.js";
import type { CauseFacts } from "../print/cause/facts.js";
import { decisionsText } from "../print/event-table.js";
import { explainedPod } from "../print/explained.js";
import { toJson } from "../print/object-text.js";
import { troubles } from "../trouble.js";

export interface ExplainOptions {
  readonly output?: "json";
  readonly namespace?: string;
  /** Also what is as computed, and what is not enforced here. */
  readonly all?: boolean;
}

const LINES = 10;
/** What kubectl's own explain is asked for. */
const FIELD = /^\w+\.(?:spec|status|metadata)(?:\.|$)/;

/** `hooklet explain KIND NAME`, `explain pod/NAME`: where it stands, what comes next, and each decision about it with its why. */
export function explain(
  context: Context,
  kindWord: string,
  nameWord: string | undefined,
  options: ExplainOptions,
): Promise<number> {
  return withAgent(context, async (client) => {
    if (nameWord === undefined && ["po", "pod", "pods"].includes(kindWord)) return explainAll(context, client, options);
    if (nameWord === undefined && ["node", "nodes", "no"].includes(kindWord))
      throw new NodeAgentError("INVALID", `explain node: ${OF_THE_NODE}`);
    const { kind, name } = explainSubject(kindWord, nameWord);
    if (kind === "pod") return explainPod(context, client, name, options);
    const decisions = await client.explain(kind, name);
    if (options.output === "json") await printLine(context.io.stdout, toJson(decisions));
    else if (decisions.length > 0) await printLine(context.io.stdout, decisionsText(decisions));
    else await tell(context.io, `Nothing is on record about ${kind} ${name}: nothing was decided about it.`);
    return 0;
  });
}

const OF_THE_NODE =
  "the node is described by hooklet describe node; what plugins would do on it now: hooklet plan PLUGIN, such as hooklet plan eviction.";

/** Each pod that is not Ready, with its cause and next step. */
async function explainAll(
  { io }: Context,
  client: AgentClient,
  { namespace, output }: ExplainOptions,
): Promise<number> {
  if (output !== undefined) throw invalid("explain pods", "no --output: name a pod", output);
  const pods = await client.pods();
  const meant = pods.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
  const texts = await Promise.all(
    meant.map(async (pod) => {
      const decisions = await client.explain("pod", namespacedName(pod.metadata));
      const cause = causeOf(await factsOf(client, pod, decisions, pods));
      return cause === undefined ? [] : [`pod ${namespacedName(pod.metadata)}: ${cause.cause}\n  Next: ${cause.next}`];
    }),
  );
  const all = texts.flat();
  await printLine(io.stdout, all.length === 0 ? "Every pod is Ready or has done its work." : all.join("\n"));
  return 0;
}

async function factsOf(
  client: AgentClient,
  pod: Pod,
  decisions: readonly Decision[],
  pods: readonly Pod[],
): Promise<CauseFacts> {
  const { name, namespace, uid } = pod.metadata;
  const [logs, events, unready] = await Promise.all([
    logsOf(pod, lastLogLinesOverSocket(client)),
    client.events({ for: `pod/${name}`, namespace }),
    client.unready(),
  ]);
  return {
    pod,
    decisions,
    pods,
    logs,
    unready,
    events: events.filter(({ involvedObject }) => involvedObject.uid === uid),
  };
}

/** `pod web`, `pod/web`; a name alone is a pod's. */
export function explainSubject(
  kindWord: string,
  nameWord: string | undefined,
): { readonly kind: string; readonly name: string } {
  const slash = kindWord.indexOf("/");
  if (nameWord !== undefined) return { kind: one(kindWord), name: nameWord.replace(/^pods?\//, "") };
  if (slash === -1) return { kind: "pod", name: kindWord };
  return { kind: one(kindWord.slice(0, slash)), name: kindWord.slice(slash + 1) };
}

function one(kind: string): string {
  return singular(kind).replace(/s$/, "");
}

async function explainPod(
  context: Context,
  client: AgentClient,
  name: string,
  { output, namespace = "default", all = false }: ExplainOptions,
): Promise<number> {
  const { io } = context;
  const full = namespacedName({ namespace, name });
  const decisions = await client.explain("pod", full);
  const pod = await podOf(client, { name, namespace }, decisions);
  if (output === "json") {
    await printLine(io.stdout, toJson(decisions));
    return 0;
  }
  if (pod === undefined) {
    await printLine(io.stdout, `There is no pod ${full} any more. What was decided about it:\n`);
    await printLine(io.stdout, decisionsText(decisions));
    return 0;
  }
  const facts = await factsOf(client, pod, decisions, await client.pods());
  await printLine(io.stdout, explainedPod({ ...facts, all, now: io.clock.now() }));
  return 0;
}

/** What containers in trouble wrote last, by their names. */
async function logsOf(pod: Pod, lastLogLines: LastLogLines): Promise<CauseFacts["logs"]> {
  const read = troubles(pod).flatMap(({ container, ...trouble }) =>
    container === undefined
      ? []
      : [lastLogLines(pod.metadata, { container, ...trouble }, LINES).then((lines) => [container, lines] as const)],
  );
  return new Map(await Promise.all(read));
}

/** Undefined: gone, and known from what was decided. @throws NodeAgentError NOT_FOUND when it is unknown */
async function podOf(
  client: AgentClient,
  name: { readonly name: string; readonly namespace: string },
  decisions: readonly Decision[],
): Promise<Pod | undefined> {
  try {
    return await client.pod(name);
  } catch (error) {
    if (!isNodeAgentError(error, "NOT_FOUND")) throw error;
    if (decisions.length > 0) return undefined;
    const plugin = (await client.plugins()).find((one) => one.name.replace(/^@hooklet\/plugin-/, "") === name.name);
    if (plugin !== undefined)
      throw new NodeAgentError(
        "NOT_FOUND",
        `${error.message} There is a plugin of this name: hooklet plan ${name.name}.`,
        { cause: error },
      );
    if (!FIELD.test(name.name)) throw error;
    throw new NodeAgentError("NOT_FOUND", `${error.message} Fields are explained by kubectl explain.`, {
      cause: error,
    });
  }
}
