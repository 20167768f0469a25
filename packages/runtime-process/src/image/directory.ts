/** A directory as the one layer of an image. */
import { createHash, type Hash } from "node:crypto";
import { constants, createReadStream, type Stats } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Budget } from "./bounds.js";
import type { LayerEntry, LayerWriter } from "./layer.js";

/** Copies the tree, without what other file systems are mounted in it. Returns the sha256 (hex) over names, modes and contents. */
export async function copyDirectory(source: string, writer: LayerWriter, budget: Budget): Promise<string> {
  const top = await lstat(source);
  const hash = createHash("sha256");
  const walk = async (folder: string, below: string): Promise<void> => {
    for (const name of (await readdir(folder)).sort()) {
      const path = join(folder, name);
      const stat = await lstat(path);
      if (stat.dev !== top.dev) continue;
      const inside = below === "" ? name : `${below}/${name}`;
      await copyEntry(path, inside, stat, writer, budget, hash);
      if (stat.isDirectory()) await walk(path, inside);
    }
  };
  await writer.apply(headerOf("/", top, "directory"), Readable.from([]));
  await walk(source, "");
  return hash.digest("hex");
}

async function copyEntry(
  path: string,
  inside: string,
  stat: Stats,
  writer: LayerWriter,
  budget: Budget,
  hash: Hash,
): Promise<void> {
  const type = stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "symlink" : stat.isFile() ? "file" : "fifo";
  const linkname = type === "symlink" ? await readlink(path) : undefined;
  hash.update(`${JSON.stringify([inside, type, stat.mode, stat.uid, stat.gid, linkname ?? "", stat.size])}\n`);
  const header = { ...headerOf(inside, stat, type), ...(linkname !== undefined && { linkname }) };
  if (type !== "file") return writer.apply(header, Readable.from([]));
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const content = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await Promise.all([
    pipeline(createReadStream("", { fd: file }), budget.meter(), content),
    writer.apply(header, content).catch((error: unknown) => {
      content.destroy();
      throw error;
    }),
  ]);
}

function headerOf(name: string, stat: Stats, type: string): LayerEntry {
  return { name, mode: stat.mode & 0o7777, uid: stat.uid, gid: stat.gid, mtime: stat.mtime, type };
}
