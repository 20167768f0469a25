import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";

/** `hooklet plugin on|off NAME`: switches all taps of a plugin until the agent ends. */
export function switchPlugin(context: Context, name: string, active: boolean): Promise<number> {
  return withAgent(context, async (client) => {
    await client.switchPlugin(name, active);
    await printLine(context.io.stdout, `plugin "${name}" is ${active ? "on" : "off"}`);
    return 0;
  });
}
