import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";
import { singular } from "../pod-argument.js";
import { decisionsText } from "../print/decisions.js";
import { toJson } from "../print/objects.js";

/** `hooklet explain KIND NAME`: each decision about it, and why. */
export function explain(
  context: Context,
  kind: string,
  name: string,
  { output }: { readonly output?: "json" },
): Promise<number> {
  return withAgent(context, async (client) => {
    const decisions = await client.explain(singular(kind).replace(/s$/, ""), name);
    if (output === "json") await printLine(context.io.stdout, toJson(decisions));
    else if (decisions.length === 0)
      await printLine(context.io.stderr, `No decisions about ${kind} ${name} are recorded.`);
    else await printLine(context.io.stdout, decisionsText(decisions));
    return 0;
  });
}
