/** Puts an entry into the rc file's list of plugins, with all comments kept. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Io } from "@hooklet/cli/extend";
import { searchPlaces } from "@hooklet/config";
import { whenGone } from "@hooklet/core/subsystem";
import { isRecord } from "@hooklet/manifest";
import { isSeq, parseDocument, stringify } from "yaml";

/** Where none is there. */
const FRESH = ".hookletrc.yaml";
/** Those that are changed here; the others are programs, or JSON without comments. */
const CHANGED = /(?:\.hookletrc|\.ya?ml)$/;

/** What was done, or is left to do, as a sentence. Without an rc file in the working directory one is written. */
export async function nameInRc(io: Io, entry: unknown): Promise<string> {
  const found = (await rcFileIn(io.cwd())) ?? { name: FRESH, text: "" };
  if (!CHANGED.test(found.name)) return `Add it to the plugins of ${found.name}: ${JSON.stringify(entry)}`;
  const document = parseDocument(found.text);
  const plugins = document.get("plugins");
  if (document.errors.length > 0 || (plugins !== undefined && plugins !== null && !isSeq(plugins)))
    return `${found.name} cannot be changed as it is. Add to its plugins: ${JSON.stringify(entry)}`;
  let replaced = "";
  if (document.contents === null) {
    // A file of comments alone: they stay above.
    await writeFile(join(io.cwd(), found.name), `${found.text}${stringify({ plugins: [entry] })}`);
  } else {
    const list: unknown = isSeq(plugins) ? plugins.toJSON() : undefined;
    const at = Array.isArray(list) ? list.findIndex((one: unknown) => nameOf(one) === nameOf(entry)) : -1;
    // A plugin stands once in a file: what is said of it already stays.
    if (at >= 0 && Array.isArray(list)) {
      replaced = replacedText(list[at], entry);
      document.setIn(["plugins", at], document.createNode(joined(list[at], entry)));
    } else if (isSeq(plugins)) document.addIn(["plugins"], document.createNode(entry));
    else document.set("plugins", document.createNode([entry]));
    await writeFile(join(io.cwd(), found.name), document.toString());
  }
  return `named in ${found.name}${replaced}`;
}

/** Options that the entry changes, with what they were. */
function replacedText(before: unknown, entry: unknown): string {
  const [old, now] = [before, entry].map((one) => (Array.isArray(one) && isRecord(one[1]) ? one[1] : {}));
  const changed = Object.keys(now ?? {}).filter(
    (key) => old?.[key] !== undefined && JSON.stringify(old[key]) !== JSON.stringify(now?.[key]),
  );
  return changed.map((key) => `; it replaces ${key}: ${JSON.stringify(old?.[key])}`).join("");
}

function nameOf(entry: unknown): unknown {
  return Array.isArray(entry) ? entry[0] : entry;
}

function joined(before: unknown, entry: unknown): unknown {
  if (!Array.isArray(entry)) return before;
  const options: unknown = Array.isArray(before) ? before[1] : {};
  return [entry[0], { ...(isRecord(options) ? options : {}), ...entry[1] }];
}

/** The one that the agent would take in this working directory. */
export async function rcFileIn(folder: string): Promise<{ readonly name: string; readonly text: string } | undefined> {
  for (const name of searchPlaces) {
    const text = await whenGone(undefined, () => readFile(join(folder, name), "utf8"));
    if (text !== undefined && (name !== "package.json" || saysHooklet(text))) return { name, text };
  }
  return undefined;
}

function saysHooklet(packageText: string): boolean {
  const value: unknown = parseDocument(packageText).toJS();
  return isRecord(value) && value.hooklet !== undefined;
}
