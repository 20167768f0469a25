import type { Decision } from "@hooklet/core";
import { invalid } from "@hooklet/core/base";
import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";
import { decisionsText } from "../print/decisions.js";
import { toJson } from "../print/objects.js";
import { readInput } from "../read-input.js";

export interface PlanOptions {
  readonly filename?: string;
  readonly output?: "json";
}

/** Asks for a plan: the agent, or a simulated node. */
export type AskPlan = (
  plugin: string,
  manifest: string | undefined,
  options: Readonly<Record<string, string>>,
) => Promise<readonly Decision[]>;

/** `hooklet plan PLUGIN`: what the plugin would decide now; nothing is changed. Further `--name value` go to the plugin. */
export function plan(context: Context, plugin: string, rest: readonly string[], options: PlanOptions): Promise<number> {
  return withAgent(context, (client) => planWith(context, plugin, rest, options, (...asked) => client.plan(...asked)));
}

/** The same of whom else is asked. */
export async function planWith(
  { io }: Context,
  plugin: string,
  rest: readonly string[],
  { filename, output }: PlanOptions,
  ask: AskPlan,
): Promise<number> {
  const manifest = filename === undefined ? undefined : await readInput(io, filename);
  const decisions = await ask(plugin, manifest, pluginArguments(rest));
  if (output === "json") await printLine(io.stdout, toJson(decisions));
  else if (decisions.length === 0) await printLine(io.stderr, `${plugin} would do nothing now.`);
  else await printLine(io.stdout, decisionsText(decisions));
  return 0;
}

/** `--until 70 --all` and `--until=70` as a record; an option without a value is `true`. */
function pluginArguments(words: readonly string[]): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  for (let at = 0; at < words.length; at += 1) {
    const match = /^--([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(words[at] ?? "");
    if (match === null) throw invalid("plan", "--name value behind the plugin", words[at]);
    const [, name = "", value] = match;
    const next = words[at + 1];
    if (value !== undefined) result[name] = value;
    else if (next === undefined || next.startsWith("--")) result[name] = "true";
    else {
      result[name] = next;
      at += 1;
    }
  }
  return result;
}
