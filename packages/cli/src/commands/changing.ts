/** Commands that change something and need no more than a call of the agent for each name. */
import { resolve } from "node:path";
import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";
import { Progress } from "../progress.js";

/** `hooklet image import NAME PATH`: prints the image's id. */
export function importImage(context: Context, name: string, path: string): Promise<number> {
  return withAgent(context, async (client) => {
    const imported = client.importImage(name, resolve(context.io.cwd(), path));
    await printLine(context.io.stdout, await new Progress(context.io, `Importing ${name}`).during(imported));
    return 0;
  });
}

/** `hooklet image remove NAME...` */
export function removeImages(context: Context, names: readonly string[]): Promise<number> {
  return withAgent(context, async (client) => {
    for (const name of names) {
      await client.removeImage(name);
      await printLine(context.io.stdout, `image "${name}" removed`);
    }
    return 0;
  });
}

/** `hooklet plugin on|off NAME`: switches all taps of a plugin until the agent restarts or reloads. */
export function switchPlugin(context: Context, name: string, active: boolean): Promise<number> {
  return withAgent(context, async (client) => {
    await client.switchPlugin(name, active);
    await printLine(context.io.stdout, `plugin "${name}" is ${active ? "on" : "off"}`);
    return 0;
  });
}
