/** Processes of this machine, identified by words of their command lines. */
import { readdirSync, readFileSync } from "node:fs";

/**
 * Command lines that hold these words, by process id. Without those that were only just forked: a child has its parent's command line
 * until it runs its own program.
 */
export function processesWith(words: string): ReadonlyMap<number, string> {
  const found = new Map<number, { readonly parent: number; readonly line: string }>();
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ");
      if (!line.includes(words)) continue;
      const stat = readFileSync(`/proc/${id}/stat`, "latin1");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      found.set(Number(id), { parent, line });
    } catch {
      // It has ended meanwhile.
    }
  }
  const own = [...found].filter(([, { parent, line }]) => found.get(parent)?.line !== line);
  return new Map(own.map(([id, { line }]) => [id, line]));
}
