import { readdir, unlink } from "node:fs/promises";
import path from "node:path";
import { openLogFolder } from "../files/regular-file.js";
import { errno } from "../lib/errno.js";

/** A log file with what was rotated away from it. What is no log of ours in their place is not touched. */
export async function removeLog(file: string): Promise<void> {
  const name = path.basename(file);
  try {
    const folder = openLogFolder(file);
    try {
      const entries = await readdir(folder.path);
      const own = entries.filter((entry) => entry === name || entry.startsWith(`${name}.`));
      for (const entry of own) await unlink(folder.at(entry)).catch(unlessGone);
    } finally {
      folder.close();
    }
  } catch (error) {
    unlessGone(error);
  }
}

function unlessGone(error: unknown): void {
  if (errno(error) !== "ENOENT") throw error;
}
