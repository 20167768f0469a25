import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Gives the owner all rights on the folders of a tree. Links are not followed. */
export async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
  }
}
