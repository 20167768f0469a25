/** Puts the scripts where the shims read them from. */
import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@hooklet/core/internal";
import { removeTree } from "@hooklet/linux";
import { ENTER, EXEC, INNER, PULL, SHIM, STARTER } from "./scripts.js";

const MODE = 0o500;

export interface Scripts {
  readonly shim: string;
  readonly inner: string;
  readonly exec: string;
  readonly enter: string;
  readonly starter: string;
  readonly pull: string;
}

/**
 * The name holds a hash of the text: a shell reads its script bit by bit, so a file in use must never change. One that is there is
 * kept: an agent starts on a full disk too, which is the only way to get it free.
 */
export async function installScripts(folder: string): Promise<Scripts> {
  const install = async (name: string, text: string): Promise<string> => {
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
    const path = join(folder, `${name}-${hash}.${text === ENTER ? "pl" : "sh"}`);
    if (await isInstalled(path, text)) return path;
    // A rename puts a file in the place of anything but a folder.
    if (isFolder(path)) await removeTree(path);
    await writeFileAtomic(path, text, { mode: MODE });
    return path;
  };
  const [shim, inner, exec, enter, starter, pull] = await Promise.all([
    install("shim", SHIM),
    install("inner", INNER),
    install("exec", EXEC),
    install("enter", ENTER),
    install("starter", STARTER),
    install("pull", PULL),
  ]);
  return { shim, inner, exec, enter, starter, pull };
}

async function isInstalled(path: string, text: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    const isOwn = found.isFile() && found.uid === process.getuid?.() && (found.mode & 0o777) === MODE;
    return isOwn && (await readFile(path, "utf8")) === text;
  } catch {
    // Writing it tells what is wrong.
    return false;
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
