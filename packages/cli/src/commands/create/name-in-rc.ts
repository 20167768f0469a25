/** Puts an entry into the rc file's list of plugins, with all comments kept. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "@hooklet/manifest";
import { isSeq, parseDocument, stringify } from "yaml";
import type { Io } from "../../io.js";

const YAML = [".hookletrc.yaml", ".hookletrc.yml", "hooklet.config.yaml", "hooklet.config.yml", ".hookletrc"];
const OTHERS = ["js", "mjs", "cjs", "ts", "mts", "json"].flatMap((ending) => [
  `.hookletrc.${ending}`,
  `hooklet.config.${ending}`,
]);

/** What was done, or is left to do, as a sentence. Without an rc file in the working directory one is written. */
export async function nameInRc(io: Io, entry: unknown): Promise<string> {
  const other = await firstThere(io, OTHERS);
  if (other !== undefined) return `Add it to the plugins of ${other.name}: ${JSON.stringify(entry)}`;
  const found = (await firstThere(io, YAML)) ?? { name: YAML[0] as string, text: "" };
  const document = parseDocument(found.text);
  const plugins = document.get("plugins");
  if (document.errors.length > 0 || (plugins !== undefined && plugins !== null && !isSeq(plugins)))
    return `${found.name} cannot be changed as it is. Add to its plugins: ${JSON.stringify(entry)}`;
  if (document.contents === null) {
    // A file of comments alone: they stay above.
    await writeFile(join(io.cwd(), found.name), `${found.text}${stringify({ plugins: [entry] })}`);
  } else {
    const list: unknown = isSeq(plugins) ? plugins.toJSON() : undefined;
    const at = Array.isArray(list) ? list.findIndex((one: unknown) => nameOf(one) === nameOf(entry)) : -1;
    // A plugin stands once in a file: what is said of it already stays.
    if (at >= 0 && Array.isArray(list)) document.setIn(["plugins", at], document.createNode(joined(list[at], entry)));
    else if (isSeq(plugins)) document.addIn(["plugins"], document.createNode(entry));
    else document.set("plugins", document.createNode([entry]));
    await writeFile(join(io.cwd(), found.name), document.toString());
  }
  return `named in ${found.name}`;
}

function nameOf(entry: unknown): unknown {
  return Array.isArray(entry) ? entry[0] : entry;
}

function joined(before: unknown, entry: unknown): unknown {
  if (!Array.isArray(entry)) return before;
  const options: unknown = Array.isArray(before) ? before[1] : {};
  return [entry[0], { ...(isRecord(options) ? options : {}), ...entry[1] }];
}

async function firstThere(
  io: Io,
  names: readonly string[],
): Promise<{ readonly name: string; readonly text: string } | undefined> {
  for (const name of names) {
    const text = await readFile(join(io.cwd(), name), "utf8").catch(() => undefined);
    if (text !== undefined) return { name, text };
  }
  return undefined;
}
