/** The layers of one image on disk: of each its files, by number, and the list of its entries. Images that have a layer in common have its files in common, as hard links. */
import { createReadStream, createWriteStream } from "node:fs";
import { link, mkdir, open, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { Readable } from "node:stream";
import { RuntimeError } from "@hooklet/core/host";
import { removeTree } from "@hooklet/linux";
import type { Headers } from "tar-stream";
import { z } from "zod";
import { allowing } from "../state-text.js";
import { Budget } from "./bounds.js";
import type { LayerRecord } from "./image-record.js";
import { type LayerWriter, setAttributes } from "./layer.js";
import { hexOf } from "./manifest.js";
import { copyContent, readTar } from "./tar.js";

const ENTRIES = "entries";
/** Hard links that are made at the same time. */
const AT_ONCE = 64;

const entry = z.object({
  name: z.string(),
  type: z.string().nullish(),
  linkname: z.string().nullish(),
  mode: z.number().optional(),
  uid: z.number().optional(),
  gid: z.number().optional(),
  /** Milliseconds. */
  mtime: z.number().optional(),
  /** The name of its content. */
  file: z.int().optional(),
});

export class Layers {
  readonly #records = new Map<string, LayerRecord>();

  constructor(
    private readonly folder: string,
    private readonly budget: Budget,
    /** Where another image has a layer. */
    private readonly find: (
      id: string,
    ) => Promise<{ readonly folder: string; readonly record: LayerRecord } | undefined>,
  ) {}

  get records(): readonly LayerRecord[] {
    return [...this.#records.values()];
  }

  /** Takes a layer over from another image. False: no image has it. */
  async take(id: string): Promise<boolean> {
    if (this.#records.has(id)) return true;
    const found = await this.find(id);
    if (found === undefined) return false;
    const own = this.#folderOf(id);
    await mkdir(own, { recursive: true, mode: 0o700 });
    // The other image may be removed at this moment.
    if (!(await allowing(["ENOENT"], linkAll(found.folder, own)))) {
      await removeTree(own);
      return false;
    }
    this.budget.takeBytes(found.record.size);
    this.#records.set(id, found.record);
    return true;
  }

  /**
   * Takes the layer `expected` over from another image, or else unpacks `blob`. Returns its id, the digest of what is unpacked. Throws
   * `invalid-argument` when that is not `expected`.
   */
  async bring(what: string, expected: string | undefined, blob: () => Promise<string>): Promise<string> {
    if (expected !== undefined && (await this.take(expected))) return expected;
    return this.#unpack(await blob(), what, expected);
  }

  /** Lays a layer that is here over what `writer` has. */
  async apply(id: string, writer: LayerWriter): Promise<void> {
    const folder = this.#folderOf(id);
    writer.nextLayer();
    const lines = createInterface({ input: createReadStream(join(folder, ENTRIES)), crlfDelay: Infinity });
    for await (const line of lines) {
      const { file, mtime, ...header } = entry.parse(JSON.parse(line));
      const content = file === undefined ? Readable.from([]) : join(folder, String(file));
      await writer.apply({ ...header, ...(mtime !== undefined && { mtime: new Date(mtime) }) }, content);
    }
  }

  async #unpack(blob: string, what: string, expected: string | undefined): Promise<string> {
    const temp = join(this.folder, "new");
    await mkdir(temp, { recursive: true, mode: 0o700 });
    const before = this.budget.bytes;
    const { id, inodes } = await unpackTo(temp, blob, what, this.budget);
    if (expected !== undefined && expected !== id) {
      throw new RuntimeError("invalid-argument", `${what} is damaged: expected ${expected}, found ${id}`);
    }
    if (this.#records.has(id)) await removeTree(temp);
    else await rename(temp, this.#folderOf(id));
    this.#records.set(id, { id, size: this.budget.bytes - before, inodes });
    return id;
  }

  #folderOf(id: string): string {
    return join(this.folder, hexOf(id));
  }
}

async function unpackTo(
  folder: string,
  blob: string,
  what: string,
  budget: Budget,
): Promise<{ readonly id: string; readonly inodes: number }> {
  const counted = new Budget(budget.bounds);
  const list = await open(join(folder, ENTRIES), "wx", 0o600);
  let pending: string[] = [];
  const flush = async (): Promise<void> => {
    const text = pending.join("");
    pending = [];
    await list.writeFile(text);
  };
  try {
    const visit = async (header: Headers, content: Readable): Promise<void> => {
      counted.takeEntry();
      const { name, type, linkname, mode, uid, gid, mtime } = header;
      const isFile = type === "file" || type === "contiguous-file";
      const file = isFile ? { file: counted.entries } : {};
      if (isFile) {
        const path = join(folder, String(counted.entries));
        await copyContent(content, createWriteStream(path, { flags: "wx", mode: 0o600 }));
        await setAttributes(path, header);
      }
      // A damaged header has some that are NaN, for which JSON has no word.
      const numbers = Object.entries({ mode, uid, gid, mtime: mtime?.getTime() });
      const known = Object.fromEntries(numbers.filter(([, value]) => Number.isFinite(value)));
      const seen = { name, type, linkname, ...known, ...file };
      if (pending.push(`${JSON.stringify(seen)}\n`) >= 1_000) await flush();
    };
    const digest = await readTar(blob, budget, visit, what);
    await flush();
    return { id: `sha256:${digest}`, inodes: counted.entries };
  } finally {
    await list.close();
  }
}

async function linkAll(from: string, to: string): Promise<void> {
  const names = await readdir(from);
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const links = names.slice(at, at + AT_ONCE).map((name) => link(join(from, name), join(to, name)));
    // All have ended before a failure is reported: the caller then removes the folder.
    const failed = (await Promise.allSettled(links)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }
}
