/** Folders of imports that are under way, and those that a crash left. */
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readStat, removeTree } from "@hooklet/linux";

/** Names the importing process, so that another one can tell whether it still lives. */
export function tempName(): string {
  return `${process.pid}-${readStat(process.pid)?.startTicks ?? 0}-${randomBytes(6).toString("hex")}`;
}

/** Deletes what dead importers left. */
export async function removeStaleTemp(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [pid, startTicks] = name.split("-");
    const stat = readStat(Number(pid));
    if (stat === undefined || stat.startTicks !== startTicks) await removeTree(join(folder, name));
  }
}
