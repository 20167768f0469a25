import { invalid } from "@hooklet/core/base";
import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";
import { decisionsText } from "../print/decisions.js";
import { toJson } from "../print/objects.js";
import { readInput } from "../read-input.js";

/** `hooklet plan PLUGIN`: what the plugin would decide now; nothing is changed. Further `--name value` go to the plugin. */
export function plan(
  context: Context,
  plugin: string,
  rest: readonly string[],
  { filename, output }: { readonly filename?: string; readonly output?: "json" },
): Promise<number> {
  return withAgent(context, async (client) => {
    const manifest = filename === undefined ? undefined : await readInput(context.io, filename);
    const decisions = await client.plan(plugin, manifest, pluginArguments(rest));
    if (output === "json") await printLine(context.io.stdout, toJson(decisions));
    else if (decisions.length === 0) await printLine(context.io.stderr, `${plugin} would do nothing now.`);
    else await printLine(context.io.stdout, decisionsText(decisions));
    return 0;
  });
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
