import { resolve } from "node:path";
import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";

/** `hooklet image import NAME PATH`: prints the image's id. */
export function importImage(context: Context, name: string, path: string): Promise<number> {
  return withAgent(context, async (client) => {
    await printLine(context.io.stdout, await client.importImage(name, resolve(context.io.cwd(), path)));
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
