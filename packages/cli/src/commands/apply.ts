import type { ApplyResult } from "@hooklet/core/base";
import { allContainers, type Pod } from "@hooklet/manifest";
import { errorText, isNodeAgentError } from "@hooklet/utils";
import type { AgentClient } from "../client/agent-client.js";
import { type Context, withAgent } from "../context.js";
import { printLine, tell } from "../io.js";
import { type Input, readInputs } from "../read-input.js";

/** `hooklet apply -f FILE`: each pod, ConfigMap and Secret that was created, configured or left unchanged; 1 where one was refused. */
export function apply(context: Context, files: readonly string[]): Promise<number> {
  const { io } = context;
  return withAgent(context, async (client) => {
    const applied: ApplyResult[] = [];
    let failures = 0;
    const take = async ({ text, where }: Input): Promise<void> => {
      for (const result of await client.apply(text, where)) {
        applied.push(result);
        await printLine(io.stdout, `${result.subject} ${result.action}`);
      }
    };
    // As kubectl: what is refused keeps nothing else from being applied.
    const takeOrTell = async (input: Input): Promise<void> => {
      try {
        await take(input);
      } catch (error) {
        const parts = isRefused(error) ? documents(input) : [];
        if (parts.length > 1) {
          for (const part of parts) await takeOrTell(part);
          return;
        }
        if (isNodeAgentError(error, "AGENT_NOT_RUNNING")) throw error;
        failures += 1;
        await tell(io, `error: ${errorText(error)}`);
      }
    };
    for (const input of await readInputs(io, files)) await takeOrTell(input);
    await warn(context, client, applied);
    return failures === 0 ? 0 : 1;
  });
}

/** The manifest is at fault, and nothing of it was taken. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && "answerCode" in error && error.answerCode === "INVALID_MANIFEST";
}

/** Each document as a text of its own, its lines where they are. */
export function documents({ text, where }: Input): readonly Input[] {
  const parts: Input[] = [];
  let line = 0;
  for (const part of text.split(/^(?=---(?:\s|$))/m)) {
    const isEmpty = part.split("\n").every((one) => /^\s*(?:#.*|---\s*(?:#.*)?)?$/.test(one));
    if (!isEmpty) parts.push({ where, text: "\n".repeat(line) + part });
    line += part.split("\n").length - 1;
  }
  return parts;
}

/** What the node does not hold pods to, which neither they nor their logs would show. */
async function warn({ io }: Context, client: AgentClient, applied: readonly ApplyResult[]): Promise<void> {
  const news = applied.flatMap(({ subject, action }) => (action === "unchanged" ? [] : subject));
  if (!news.some((subject) => subject.startsWith("pod/"))) return;
  const { runtime } = await client.node();
  if (!runtime.isolation.some(({ what, isolated }) => what === "cgroups" && isolated === "no")) return;
  const limited = (await client.pods()).filter((pod) => news.includes(subjectOf(pod)) && hasMemoryLimit(pod));
  if (limited.length === 0) return;
  const names = limited.map(({ metadata }) => metadata.name).join(", ");
  await tell(io, `Warning: memory limits are not enforced on this node (pod ${names}); hooklet describe node says why`);
}

function hasMemoryLimit(pod: Pod): boolean {
  return allContainers(pod).some(({ resources }) => resources?.limits?.memory !== undefined);
}

/** As the agent names what was applied. */
function subjectOf({ metadata: { name, namespace } }: Pod): string {
  return `pod/${name}${namespace === "default" ? "" : ` (${namespace})`}`;
}
