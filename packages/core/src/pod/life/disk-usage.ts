import { lstat, opendir } from "node:fs/promises";
import path from "node:path";

/** Bytes that a directory tree takes, counted in blocks as `du` does; at most `maxEntries` are looked at. */
export async function diskUsage(directory: string, maxEntries = 1_000_000): Promise<number> {
  let bytes = 0;
  let entries = 0;
  const pending = [directory];
  const seen = new Set<number>();
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    for await (const entry of await opendir(current)) {
      if (++entries > maxEntries) return bytes;
      const file = path.join(current, entry.name);
      const stats = await lstat(file).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
      if (stats === undefined) continue;
      if (entry.isDirectory()) pending.push(file);
      if (stats.nlink > 1 && stats.isFile()) {
        if (seen.has(stats.ino)) continue;
        seen.add(stats.ino);
      }
      bytes += stats.blocks * 512;
    }
  }
  return bytes;
}
