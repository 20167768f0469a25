/** Both ends of `hooklet cp`: files of this machine as a tar stream, and back. */

import { constants, createReadStream, createWriteStream } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, realpath, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errorText, NodeAgentError } from "@hooklet/utils";
import { type Extract, extract, type Headers, type Pack, pack } from "tar-stream";

// A folder or file of this machine as a tar stream.

/** Its first entry is called `name`. What is neither file, folder nor link is left out. @throws NodeAgentError INVALID when it is not there */
export async function packTree(path: string, name: string): Promise<Readable> {
  await lstat(path).catch((cause: unknown) => {
    throw new NodeAgentError("INVALID", `Cannot read ${path}: ${errorText(cause)}`, { cause });
  });
  const tar = pack();
  add(tar, path, name).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  return tar as unknown as Readable;
}

async function add(tar: Pack, path: string, name: string): Promise<void> {
  const found = await lstat(path);
  const header = { name, mode: found.mode & 0o7777, mtime: found.mtime };
  if (found.isDirectory()) {
    tar.entry({ ...header, name: `${name}/`, type: "directory" });
    for (const inner of (await readdir(path)).sort()) await add(tar, join(path, inner), `${name}/${inner}`);
  } else if (found.isSymbolicLink()) {
    tar.entry({ ...header, type: "symlink", linkname: await readlink(path) });
  } else if (found.isFile()) {
    const entry = tar.entry({ ...header, type: "file", size: found.size });
    // A file that grows meanwhile is packed as far as it was.
    const content = found.size === 0 ? undefined : createReadStream(path, { end: found.size - 1 });
    if (content === undefined) entry.end(null);
    else await pipeline(content, entry as unknown as NodeJS.WritableStream);
  }
}

// Files and folders of a tar stream that a container wrote: nothing it says leads out of the folder that was named.

/** Bytes in which the container says no more than what the next entry is called; Go's archive/tar takes as many. */
const MAX_HEADERS = 1024 * 1024;
/** Entries that were left out and are named; the others are counted. */
const MAX_SKIPPED = 100;

export class Unpacker {
  readonly #tar: Extract = extract();
  readonly #skipped: string[] = [];
  /** Entries that were left out. */
  #left = 0;
  readonly #done: Promise<void>;
  #tellFailure: (error: unknown) => void = () => undefined;
  /** Rejects with the first failure at once: what is behind it may never be read. */
  readonly #failed = new Promise<never>((_, reject) => {
    this.#tellFailure = reject;
  });
  #failure: unknown;
  /** Bytes behind the last entry and its content: they wait in memory. */
  #headers = 0;

  private constructor(
    /** Where the entry of the given name goes. */
    private readonly target: string,
    private readonly name: string,
  ) {
    this.#done = this.#unpack();
    for (const one of [this.#done, this.#failed]) one.catch(() => undefined);
  }

  /** @param intoFolder the target names a folder; otherwise it does when there is one of its name */
  static async open(target: string, name: string, intoFolder: boolean): Promise<Unpacker> {
    const isFolder = intoFolder || (await stat(target).catch(() => undefined))?.isDirectory() === true;
    await mkdir(isFolder ? target : dirname(target), { recursive: true });
    return new Unpacker(isFolder ? join(target, name) : target, name);
  }

  /** Rejects with what went wrong with earlier pieces. */
  async take(data: Buffer): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#headers += data.length;
    if (this.#headers > MAX_HEADERS + data.length) {
      const text = `The container answered with headers of more than ${MAX_HEADERS} bytes: expected names of files. Nothing more of it was written.`;
      throw new NodeAgentError("INVALID", text);
    }
    if (this.#tar.write(data)) return;
    const drained = new Promise<void>((resolve) => this.#tar.once("drain", () => resolve()));
    await Promise.race([drained, this.#done, this.#failed]);
  }

  /** What was left out, a sentence each. Rejects with what went wrong in between. */
  async end(): Promise<readonly string[]> {
    (this.#tar as unknown as Writable).end();
    await Promise.race([this.#done, this.#failed]);
    return this.#skipped;
  }

  async abandon(): Promise<readonly string[]> {
    this.#tar.destroy();
    await this.#done.catch(() => undefined);
    return this.#skipped;
  }

  async #unpack(): Promise<void> {
    for await (const entry of this.#tar as unknown as AsyncIterable<Readable & { readonly header: Headers }>) {
      const { name, size = 0 } = entry.header;
      if (!Number.isSafeInteger(size) || size < 0) this.#fail(noSize(name));
      this.#headers = -size;
      // The stream does not end where its reader breaks off, so what comes behind a failure is read and dropped.
      if (this.#failure === undefined)
        await this.#entry(entry.header, entry).catch((error: unknown) => this.#fail(error));
      entry.resume();
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#tellFailure(error);
  }

  async #entry(header: Headers, content: Readable): Promise<void> {
    const path = this.#pathOf(header.name);
    if (header.type === "directory") {
      await this.#inside(path);
      const found = await lstat(path).catch(() => undefined);
      if (found?.isDirectory() !== true) await mkdir(path, { mode: 0o755 });
    } else if (header.type === "file" || header.type === "contiguous-file") {
      await this.#inside(path);
      const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
      const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, (header.mode ?? 0o644) & 0o777);
      await pipeline(content, createWriteStream("", { fd: file }));
    } else this.#skip(`skipped ${header.name}: a ${header.type} is not copied`);
  }

  /** A container can send links without end. */
  #skip(text: string): void {
    this.#left += 1;
    if (this.#skipped.length < MAX_SKIPPED) this.#skipped.push(text);
    else this.#skipped[MAX_SKIPPED] = `skipped ${this.#left - MAX_SKIPPED} more that are not copied`;
  }

  #pathOf(entry: string): string {
    const [first, ...rest] = entry.split("/").filter((part) => part !== "" && part !== ".");
    if (first !== this.name || rest.includes("..") || rest.some((part) => part.includes("\0")))
      throw new NodeAgentError(
        "INVALID",
        `The container answered with "${entry}": expected what is called ${this.name}. Nothing of it was written.`,
      );
    return join(this.target, ...rest);
  }

  /** A link that lies in the way leads elsewhere. */
  async #inside(path: string): Promise<void> {
    if (path === this.target) return;
    const [root, parent] = await Promise.all([realpath(this.target), realpath(dirname(path))]);
    if (parent !== root && !parent.startsWith(`${root}${sep}`))
      throw new NodeAgentError(
        "INVALID",
        `${dirname(path)} leads to ${parent}, out of ${root}: remove the link, then copy again.`,
      );
  }
}

/** The tar reader waits forever for so much content. */
function noSize(entry: string): NodeAgentError {
  const text = `The container answered with "${entry}" of a size that no file has. It was not written.`;
  return new NodeAgentError("INVALID", text);
}
