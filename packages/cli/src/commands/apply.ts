import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";
import { readInput } from "../read-input.js";

/** `hooklet apply -f FILE`: each pod, ConfigMap and Secret that was created, configured or left unchanged. */
export function apply(context: Context, files: readonly string[]): Promise<number> {
  return withAgent(context, async (client) => {
    for (const file of files) {
      const manifest = await readInput(context.io, file);
      for (const { pod, action } of await client.apply(manifest, file === "-" ? "standard input" : file)) {
        await printLine(context.io.stdout, `${pod} ${action}`);
      }
    }
    return 0;
  });
}
