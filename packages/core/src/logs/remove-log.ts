import path from "node:path";
import { disk, openLogFolder } from "@hooklet/linux";
import { whenGone } from "@hooklet/utils";

/** A log file with what was rotated away from it. What is no log of ours in their place is not touched. */
export async function removeLog(file: string): Promise<void> {
  const name = path.basename(file);
  const folder = await whenGone(undefined, () => openLogFolder(file));
  if (folder === undefined) return;
  try {
    const entries = await whenGone([], () => disk.readdir(folder.path));
    const own = entries.filter((entry) => entry === name || entry.startsWith(`${name}.`));
    for (const entry of own) await whenGone(undefined, () => disk.unlink(folder.at(entry)));
  } finally {
    folder.close();
  }
}
