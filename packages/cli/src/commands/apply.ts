import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";
import { readInput } from "../read-input.js";

/** `hooklet apply -f FILE`: each pod, ConfigMap and Secret that was created, configured or left unchanged. */
export function apply(context: Context, files: readonly string[]): Promise<number> {
  return withAgent(context, async (client) => {
    for (const file of files) {
      const manifest = await readInput(context.io, file);
      for (const { pod, action } of await client.apply(manifest, file === "-" ? "standard input" : file)) {
        await printLine(context.io.stdout, `${label(pod)} ${action}`);
      }
    }
    return 0;
  });
}

/** `pod/web`, as kubectl says it, whatever namespace stands before it. */
function label(object: string): string {
  const parts = object.split("/");
  return `${parts.length > 1 ? parts[0] : "pod"}/${parts.at(-1) ?? object}`;
}
