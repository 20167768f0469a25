import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { errno } from "../lib/errno.js";

/** A log file with what was rotated away from it. */
export async function removeLog(file: string): Promise<void> {
  const folder = path.dirname(file);
  const entries = await readdir(folder).catch((error: unknown) => {
    if (errno(error) === "ENOENT") return [];
    throw error;
  });
  const name = path.basename(file);
  const own = entries.filter((entry) => entry === name || entry.startsWith(`${name}.`));
  for (const entry of own) await rm(path.join(folder, entry), { force: true });
}
