/** A directory as the one layer of an image. */
import { createHash, type Hash } from "node:crypto";
import { constants, createReadStream, type Stats } from "node:fs";
import { open, readdir, readlink } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { RuntimeError } from "@hooklet/core/host";
import { Place } from "@hooklet/linux";
import type { Budget } from "./bounds.js";
import type { LayerEntry, LayerWriter } from "./layer.js";

/**
 * Copies the tree, without what other file systems are mounted in it. Returns the sha256 (hex) over names, modes and contents. A program
 * that writes in the folder meanwhile can change what is copied, not where it comes from: each step goes over one name, never over a link.
 */
export async function copyDirectory(source: string, writer: LayerWriter, budget: Budget): Promise<string> {
  const top = Place.open(source);
  const hash = createHash("sha256");
  const walk = async (folder: Place, below: string): Promise<void> => {
    for (const name of (await readdir(folder.path)).sort()) {
      const entry = folder.child(name);
      if (entry === undefined) throw gone(below, name);
      try {
        if (entry.stat.dev !== top.stat.dev) continue;
        const inside = below === "" ? name : `${below}/${name}`;
        await copyEntry(folder, name, entry, inside, { writer, budget, hash });
        if (entry.stat.isDirectory()) await walk(entry, inside);
      } finally {
        entry.close();
      }
    }
  };
  try {
    if (!top.stat.isDirectory()) throw gone("", source);
    await writer.apply(headerOf("/", top.stat, "directory"), Readable.from([]));
    await walk(top, "");
  } finally {
    top.close();
  }
  return hash.digest("hex");
}

function gone(below: string, name: string): RuntimeError {
  return new RuntimeError("invalid-argument", `${below}/${name} changed while it was imported; import it again`);
}

interface Copying {
  readonly writer: LayerWriter;
  readonly budget: Budget;
  readonly hash: Hash;
}

async function copyEntry(
  folder: Place,
  name: string,
  { stat, path }: Place,
  inside: string,
  { writer, budget, hash }: Copying,
): Promise<void> {
  const type = stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "symlink" : stat.isFile() ? "file" : "fifo";
  const linkname = type === "symlink" ? await readlink(folder.at(name)) : undefined;
  hash.update(`${JSON.stringify([inside, type, stat.mode, stat.uid, stat.gid, linkname ?? "", stat.size])}\n`);
  const header = { ...headerOf(inside, stat, type), ...(linkname !== undefined && { linkname }) };
  if (type !== "file") return writer.apply(header, Readable.from([]));
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
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
