/** Where a run has its files. */
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for the agent's files; in memory where the machine has such a place, for nothing of it has to last. */
export async function withRootDir<T>(work: (rootDir: string) => Promise<T>): Promise<T> {
  const rootDir = await make("/dev/shm").catch(() => make(tmpdir()));
  // Memory that nobody would give back: also when the process is told to end.
  const atExit = (): void => rmSync(rootDir, { recursive: true, force: true });
  process.once("exit", atExit);
  try {
    return await work(rootDir);
  } finally {
    process.off("exit", atExit);
    await rm(rootDir, { recursive: true, force: true });
  }
}

function make(folder: string): Promise<string> {
  return mkdtemp(join(folder, "hooklet-simulate-"));
}
