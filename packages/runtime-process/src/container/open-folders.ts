import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { unlessMissing } from "../fs-errors.js";

/** Gives the owner all rights on the folders of a tree. Links are not followed; nothing is done when it is not there. */
export async function openFolders(folder: string): Promise<void> {
  await unlessMissing(chmod(folder, 0o700));
  for (const entry of (await unlessMissing(readdir(folder, { withFileTypes: true }))) ?? []) {
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
  }
}
