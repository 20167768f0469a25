import type { Decision } from "@hooklet/core";
import { namespacedName, type Pod } from "@hooklet/manifest";
import { isNodeAgentError, NodeAgentError } from "@hooklet/utils";
import type { AgentClient } from "../client/client.js";
import { type Context, withAgent } from "../context.js";
import { printLine, tell } from "../io.js";
import { type LastLogLines, lastLogLinesOverSocket } from "../last-log-lines.js";
import { singular } from "../pod-argument.js";
import type { CauseFacts } from "../print/cause/facts.js";
import { decisionsText } from "../print/decisions.js";
import { explainedPod } from "../print/explained.js";
import { toJson } from "../print/objects.js";
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
    const { kind, name } = explainSubject(kindWord, nameWord);
    if (kind === "pod") return explainPod(context, client, name, options);
    const decisions = await client.explain(kind, name);
    if (options.output === "json") await printLine(context.io.stdout, toJson(decisions));
    else if (decisions.length > 0) await printLine(context.io.stdout, decisionsText(decisions));
    else await tell(context.io, `Nothing is on record about ${kind} ${name}: nothing was decided about it.`);
    return 0;
  });
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
  const lastLogLines = lastLogLinesOverSocket(client);
  const [logs, events, pods] = await Promise.all([
    logsOf(pod, lastLogLines),
    client.events({ for: `pod/${pod.metadata.name}`, namespace: pod.metadata.namespace }),
    client.pods(),
  ]);
  const own = events.filter(({ involvedObject }) => involvedObject.uid === pod.metadata.uid);
  const now = io.clock.now();
  await printLine(io.stdout, explainedPod({ pod, decisions, events: own, pods, logs, all, now }));
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

/** Undefined: gone, and known from what was decided. @throws NodeAgentError NOT_FOUND when nobody knows it */
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
    if (!FIELD.test(name.name)) throw error;
    throw new NodeAgentError("NOT_FOUND", `${error.message} Fields are explained by kubectl explain.`, {
      cause: error,
    });
  }
}
