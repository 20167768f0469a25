/** Removal of what containers could write in: never over a link, never into another mount. */
import { randomBytes } from "node:crypto";
import path from "node:path";
import { errno } from "@hooklet/utils";
import { disk } from "./disk.js";
import { Place } from "./place.js";

/** Folders held open at the same time; what lies deeper is moved up first, so that no depth uses up the descriptors. */
const DEPTH = 32;

/**
 * Removes a tree; a missing one is fine. Mounts in it stay, with their content: then this rejects with EBUSY,
 * naming the place. `contentsOnly`: the folder itself stays, and may be a mount. `progress`: called at each entry.
 */
export async function removeTree(
  tree: string,
  { contentsOnly = false, progress }: { readonly contentsOnly?: boolean; readonly progress?: () => void } = {},
): Promise<void> {
  const parent = openFolder(path.dirname(tree));
  if (parent === undefined) return;
  const removal = new Removal(tree, progress);
  try {
    if (contentsOnly) await removal.empty(parent, path.basename(tree));
    else await removal.remove(parent, { name: path.basename(tree), isFolder: true }, 0);
  } finally {
    parent.close();
  }
}

function openFolder(folder: string): Place | undefined {
  try {
    return Place.open(`${folder}/.`);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

interface Entry {
  readonly name: string;
  /** As it seemed: it may be something else by now. */
  readonly isFolder: boolean;
}

class Removal {
  #top: Place | undefined;
  #moved = false;

  constructor(
    private readonly tree: string,
    private readonly progress: () => void = () => undefined,
  ) {}

  async empty(parent: Place, name: string): Promise<void> {
    const folder = parent.child(name);
    if (folder === undefined) return;
    try {
      if (!folder.stat.isDirectory()) throw busy(this.tree, "it is no directory; remove it");
      await this.#empty(folder, 0);
    } finally {
      folder.close();
    }
  }

  async remove(parent: Place, entry: Entry, depth: number): Promise<void> {
    const { name } = entry;
    this.progress();
    const where = depth === 0 ? "it" : `${name} in it`;
    const inTheWay = await this.#removed(parent, entry, where);
    if (inTheWay === undefined) return;
    const folder = parent.child(name);
    if (folder === undefined) return;
    try {
      if (!folder.stat.isDirectory()) throw inTheWay.error;
      if (folder.mount !== parent.mount)
        throw busy(this.tree, `something is mounted on ${where}; unmount it, then it goes`);
      if (depth >= DEPTH && (await this.#movedUp(parent, name))) return;
      await this.#empty(folder, depth);
    } finally {
      folder.close();
    }
    await disk.rmdir(parent.at(name)).catch(unlessGone);
  }

  async #empty(folder: Place, depth: number): Promise<void> {
    this.#top ??= folder;
    // What was moved up from far below is found in the next round.
    do {
      this.#moved = false;
      for (const entry of await entriesOf(folder)) await this.remove(folder, entry, depth + 1);
    } while (this.#top === folder && this.#moved);
  }

  /** False when it cannot be moved: then it is gone into where it lies. */
  async #movedUp(parent: Place, name: string): Promise<boolean> {
    if (this.#top === undefined) return false;
    try {
      await disk.rename(parent.at(name), this.#top.at(`.removed-${randomBytes(8).toString("hex")}`));
    } catch (error) {
      return isGone(error);
    }
    this.#moved = true;
    return true;
  }

  /**
   * What blocks a folder's removal once it is emptied; undefined when it is gone. The kernel refuses to remove a mount point
   * without accessing what is mounted there, which may hang.
   */
  async #removed(
    parent: Place,
    { name, isFolder }: Entry,
    where: string,
    isSecond = false,
  ): Promise<{ readonly error: unknown } | undefined> {
    try {
      await (isFolder ? disk.rmdir : disk.unlink)(parent.at(name));
      return undefined;
    } catch (error) {
      const code = errno(error);
      if (code === "ENOENT") return undefined;
      // Also of what is open over NFS.
      if (code === "EBUSY")
        throw busy(this.tree, `something is mounted on ${where}, or has it open; once that ends it goes`);
      const other = code === (isFolder ? "ENOTDIR" : "EISDIR");
      if (other && !isSecond) return this.#removed(parent, { name, isFolder: !isFolder }, where, true);
      if (isFolder && !other) return { error };
      throw error;
    }
  }
}

/** A folder of ours that is closed for us is opened: overlay work folders of ordinary users are. */
async function entriesOf(folder: Place): Promise<readonly Entry[]> {
  const own = process.getuid?.();
  if (own !== 0 && folder.stat.uid === own && (folder.stat.mode & 0o700) !== 0o700) folder.chmod(0o700);
  const entries = await disk.readdir(folder.path, { withFileTypes: true });
  return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
}

function unlessGone(error: unknown): void {
  if (!isGone(error)) throw error;
}

function isGone(error: unknown): boolean {
  return errno(error) === "ENOENT" || errno(error) === "ENOTDIR";
}

function busy(tree: string, why: string): Error {
  return Object.assign(new Error(`${tree} is not removed: ${why}`), { code: "EBUSY" });
}
