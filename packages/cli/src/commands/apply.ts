import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";
import { readInputs } from "../read-input.js";

/** `hooklet apply -f FILE`: each pod, ConfigMap and Secret that was created, configured or left unchanged. */
export function apply(context: Context, files: readonly string[]): Promise<number> {
  return withAgent(context, async (client) => {
    for (const { where, text } of await readInputs(context.io, files)) {
      for (const { subject, action } of await client.apply(text, where)) {
        await printLine(context.io.stdout, `${subject} ${action}`);
      }
    }
    return 0;
  });
}
