/** A root file system with a shell, cat, sleep and nothing else of the machine. */
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "../src/command/spawn.js";

export async function makeSmallRoot(root: string): Promise<void> {
  for (const program of ["/bin/sh", "/bin/cat", "/bin/sleep"]) {
    const { output } = await runTool("/usr/bin/env", ["ldd", program]);
    const libraries = [...output.matchAll(/(\/\S+) \(0x/g)].map((found) => found[1] ?? "");
    for (const path of [program, ...libraries]) {
      await mkdir(join(root, path, ".."), { recursive: true });
      await copyFile(path, join(root, path));
    }
  }
}
