/** Lays one layer over a root directory. Everything in an archive is hostile: nothing is ever written outside the root. */

import { createWriteStream } from "node:fs";
import { chmod, lchown, link, lstat, lutimes, mkdir, readdir, symlink } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import type { Readable } from "node:stream";
import { RuntimeError } from "@hooklet/core/host";
import { errno } from "@hooklet/core/subsystem";
import { removeTree } from "@hooklet/linux";
import { RootView } from "../rootfs/view.js";
import { unlessMissing } from "../state-text.js";
import type { Budget } from "./bounds.js";
import { copyContent } from "./tar.js";

/** One member of a layer, as its tar header tells. */
export interface LayerEntry {
  readonly name: string;
  readonly type?: string | null | undefined;
  readonly linkname?: string | null | undefined;
  readonly mode?: number | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  readonly mtime?: Date | undefined;
}

const WHITEOUT = ".wh.";
const OPAQUE = ".wh..wh..opq";

export class LayerWriter {
  readonly #view: RootView;
  /** Paths of this layer (free of links), which its own whiteouts leave alone. */
  readonly #written = new Set<string>();
  /** Entries that cannot be made: devices and pipes. */
  skipped = 0;

  constructor(
    readonly root: string,
    readonly budget: Budget,
  ) {
    this.#view = new RootView([{ at: "/", upper: root }]);
  }

  /** What follows belongs to the next layer. */
  nextLayer(): void {
    this.#written.clear();
  }

  /**
   * Applies one entry. Throws `invalid-argument` naming the entry for anything that points out of the root.
   * @param content what is in the file, or the path of a file to have in common with others, which has its attributes already
   */
  async apply(header: LayerEntry, content: Readable | string): Promise<void> {
    this.budget.takeEntry();
    const name = entryPath(header.name);
    if (name === "") {
      if (header.type === "directory") await setAttributes(this.root, header);
      return;
    }
    const parent = await this.#parent(name);
    const last = basename(name);
    if (last === OPAQUE) return this.#opaque(parent);
    if (last.startsWith(WHITEOUT)) return this.#whiteout(parent, last.slice(WHITEOUT.length), header.name);
    await this.#make(header, content, posix.join(parent, last));
  }

  async #make(header: LayerEntry, content: Readable | string, path: string): Promise<void> {
    const host = join(this.root, path);
    const before = await unlessMissing(lstat(host));
    const keep = before?.isDirectory() === true && header.type === "directory";
    if (before !== undefined && !keep) await removeTree(host);
    switch (header.type) {
      case "directory":
        if (!keep) await mkdir(host, { mode: 0o700 });
        break;
      case "file":
      case "contiguous-file":
        if (typeof content === "string") await link(content, host);
        else await copyContent(content, createWriteStream(host, { flags: "wx", mode: 0o600 }));
        break;
      case "symlink":
        await symlink(checkText(header.linkname ?? "", header.name), host);
        break;
      case "link":
        await this.#hardLink(header, host);
        break;
      case "character-device":
      case "block-device":
      case "fifo":
        this.skipped++;
        return;
      default:
        throw refused(header.name, `is of type ${header.type ?? "unknown"}, expected a file, directory or link`);
    }
    this.#remember(path);
    // Other images have a linked file, too.
    if (header.type !== "link" && typeof content !== "string") await setAttributes(host, header);
  }

  async #hardLink(header: LayerEntry, host: string): Promise<void> {
    const target = entryPath(header.linkname ?? "");
    const parent = this.#view.resolve(posix.dirname(`/${target}`));
    const source = join(this.root, parent.path, basename(target));
    const stat = target === "" ? undefined : await unlessMissing(lstat(source));
    if (stat === undefined || stat.isDirectory()) {
      throw refused(header.name, `is a hard link to ${header.linkname}, which is no file in the image`);
    }
    await link(source, host);
  }

  /** The parent's path free of links; it is made when it is missing. */
  async #parent(name: string): Promise<string> {
    const resolved = this.#view.resolve(posix.dirname(`/${name}`));
    const below = (): RuntimeError => refused(name, "lies below something that is no directory");
    if (resolved.stat === undefined) {
      await mkdir(join(this.root, resolved.path), { recursive: true, mode: 0o755 }).catch((error: unknown) => {
        throw ["ENOTDIR", "EEXIST"].includes(errno(error) ?? "") ? below() : error;
      });
    } else if (!resolved.stat.isDirectory()) throw below();
    return resolved.path;
  }

  async #whiteout(parent: string, hidden: string, name: string): Promise<void> {
    if (hidden === "" || hidden === "." || hidden === "..") throw refused(name, "is a whiteout of nothing");
    if (hidden.startsWith(WHITEOUT)) return;
    const path = posix.join(parent, hidden);
    if (!this.#written.has(path)) await removeTree(join(this.root, path));
  }

  /** Hides what lower layers have in this directory, wherever in the layer the mark stands. */
  async #opaque(parent: string): Promise<void> {
    for (const name of await readdir(join(this.root, parent))) {
      const path = posix.join(parent, name);
      if (!this.#written.has(path)) await removeTree(join(this.root, path));
      else if ((await lstat(join(this.root, path))).isDirectory()) await this.#opaque(path);
    }
  }

  #remember(path: string): void {
    for (let step = path; step !== "/" && !this.#written.has(step); step = dirname(step)) this.#written.add(step);
  }
}

/** Owner first: changing it takes the setuid bit away. */
export async function setAttributes(host: string, header: LayerEntry): Promise<void> {
  const asRoot = process.getuid?.() === 0;
  if (asRoot) await lchown(host, boundedId(header.uid), boundedId(header.gid));
  if (header.type !== "symlink") {
    const own = asRoot ? 0 : header.type === "directory" ? 0o700 : 0o400;
    await chmod(host, ((header.mode ?? 0o644) & 0o7777) | own);
  }
  const time = header.mtime;
  if (time !== undefined && Number.isFinite(time.getTime())) await lutimes(host, time, time);
}

/** Relative and without dots; "" is the root. Throws for names that climb. */
function entryPath(name: string): string {
  checkText(name, name);
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw refused(name, "leaves the image's root");
  return parts.join("/");
}

function checkText(text: string, name: string): string {
  if (text.includes("\0") || text.length > 4096) throw refused(name, "has a name that no file can have");
  return text;
}

function boundedId(id: number | undefined): number {
  return id !== undefined && Number.isInteger(id) && id >= 0 && id < 2 ** 32 - 1 ? id : 0;
}

function refused(name: string, why: string): RuntimeError {
  return new RuntimeError("invalid-argument", `the archive's entry ${JSON.stringify(name.slice(0, 300))} ${why}`);
}
