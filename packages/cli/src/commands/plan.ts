import type { Decision } from "@hooklet/core";
import { invalid } from "@hooklet/utils";
import { type Context, withAgent } from "../context.js";
import { printLine, tell } from "../io.js";
import { decisionsText } from "../print/event-table.js";
import { toJson } from "../print/object-text.js";
import { readInput } from "../read-input.js";
import { known, type Scenarios, type WithinScenario } from "../scenarios.js";

export interface PlanOptions extends Partial<WithinScenario> {
  readonly filename?: string;
  readonly output?: "json";
}

/**
 * `hooklet plan PLUGIN`: what the plugin would decide now, or on the node of a scenario; nothing is changed. Further
 * `--name value` go to the plugin.
 */
export async function plan(
  context: Context,
  plugin: string,
  rest: readonly string[],
  { filename, output, scenario, at }: PlanOptions,
  scenarios: Scenarios | undefined,
): Promise<number> {
  if (scenario === undefined && at !== undefined) throw invalid("--at", "--scenario FILE beside it", at);
  const manifest = filename === undefined ? undefined : await readInput(context.io, filename);
  const question = { plugin, ...(manifest !== undefined && { manifest }), arguments: pluginArguments(rest) };
  if (scenario !== undefined) {
    const within = { scenario, ...(at !== undefined && { at }) };
    return print(context, plugin, await known(scenarios).plan(context, question, within), output);
  }
  return withAgent(context, async (client) => print(context, plugin, await client.plan(plugin, question), output));
}

async function print(
  { io }: Context,
  plugin: string,
  decisions: readonly Decision[],
  output: "json" | undefined,
): Promise<number> {
  if (output === "json") await printLine(io.stdout, toJson(decisions));
  else if (decisions.length === 0) await tell(io, `${plugin} would do nothing now.`);
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
