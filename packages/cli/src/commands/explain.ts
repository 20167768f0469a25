import { invalid } from "@hooklet/core/base";
import { type Context, scenariosOf, withAgent } from "../context.js";
import { printLine } from "../io.js";
import { singular } from "../pod-argument.js";
import { decisionsText } from "../print/decisions.js";
import { toJson } from "../print/objects.js";

export interface ExplainOptions {
  readonly scenario?: string;
  readonly at?: string;
  readonly output?: "json";
}

/** `hooklet explain KIND NAME`: each decision about it, and why. */
export async function explain(
  context: Context,
  kind: string,
  name: string,
  { output, scenario, at }: ExplainOptions,
): Promise<number> {
  if (scenario !== undefined) {
    const asked = singular(kind).replace(/s$/, "");
    const options = { scenario, ...(at === undefined ? {} : { at }), ...(output === undefined ? {} : { output }) };
    return scenariosOf(context).explain(context, asked, name, options);
  }
  if (at !== undefined) throw invalid("--at", "--scenario FILE beside it", at);
  return withAgent(context, async (client) => {
    const decisions = await client.explain(singular(kind).replace(/s$/, ""), name);
    if (output === "json") await printLine(context.io.stdout, toJson(decisions));
    else if (decisions.length === 0)
      await printLine(context.io.stderr, `No decisions about ${kind} ${name} are recorded.`);
    else await printLine(context.io.stdout, decisionsText(decisions));
    return 0;
  });
}
