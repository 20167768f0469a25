/** How many processes are in containers: `pids.current` counts threads. */
import { type CgroupLayout, folderOf } from "../host/hierarchies.js";
import type { CgroupFiles } from "../host/port.js";

/** @returns by the containers' paths; those that are gone are missing */
export function readProcessCounts(
  files: Pick<CgroupFiles, "read">,
  layout: CgroupLayout,
  paths: readonly string[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = folderOf(layout, "pids", path) ?? folderOf(layout, "memory", path);
    const text = folder === undefined ? undefined : files.read(`${folder}/cgroup.procs`);
    if (text !== undefined) counts.set(path, countLines(text));
  }
  return counts;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return text === "" || text.endsWith("\n") ? count : count + 1;
}
