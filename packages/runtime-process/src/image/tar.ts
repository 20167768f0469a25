/** Reads a tar file, gzipped or not, entry by entry. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { PassThrough, type Readable, Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { errorText, isRuntimeError } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { errno } from "@hooklet/core/subsystem";
import { extract, type Headers } from "tar-stream";
import type { Budget } from "./bounds.js";

/**
 * Calls `visit` for one entry after the other. Returns the sha256 (hex) of the unpacked archive.
 * @param what it is in errors
 */
export async function readTar(
  path: string,
  budget: Budget,
  visit: (header: Headers, content: Readable) => Promise<void>,
  what = path,
): Promise<string> {
  const kind = await kindOf(path);
  if (kind === "zstd") {
    throw new RuntimeError(
      "invalid-argument",
      `${what} is packed with zstd; expected a plain or gzipped tar: repack it`,
    );
  }
  const hash = createHash("sha256");
  const digest = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const unpack = extract();
  const unzip = kind === "gzip" ? createGunzip() : new PassThrough();
  const pumped = pipeline(createReadStream(path), unzip, budget.meter(), digest, unpack as unknown as Writable);
  const failure = pumped.then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    for await (const entry of unpack) {
      await visit(entry.header, entry as unknown as Readable);
      entry.resume();
    }
  } catch (error) {
    unpack.destroy();
    const cause = await failure;
    // That one is of our own `destroy`, and says nothing.
    const isOwn = cause === undefined || errno(cause) === "ERR_STREAM_PREMATURE_CLOSE";
    throw asRuntimeError(what, isRuntimeError(error) || isOwn ? error : cause);
  }
  const error = await failure;
  if (error !== undefined) throw asRuntimeError(what, error);
  return hash.digest("hex");
}

/** Writes an entry's content to a stream. Rejects also when the archive broke off before we came to it. */
export async function copyContent(
  content: Readable,
  ...stages: [...NodeJS.ReadWriteStream[], NodeJS.WritableStream]
): Promise<void> {
  if (content.destroyed) throw new Error("the archive ends in the middle of an entry");
  await pipeline([content, ...stages]);
}

async function kindOf(path: string): Promise<"gzip" | "zstd" | "plain"> {
  const file = await open(path, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    if (buffer.readUInt16BE(0) === 0x1f8b) return "gzip";
    return buffer.readUInt32LE(0) === 0xfd2fb528 ? "zstd" : "plain";
  } finally {
    await file.close();
  }
}

function asRuntimeError(what: string, error: unknown): unknown {
  // A full disk is no fault of the archive.
  if (isRuntimeError(error) || errno(error) === "ENOSPC") return error;
  return new RuntimeError("invalid-argument", `cannot read ${what} as a tar archive: ${errorText(error)}`, {
    cause: error,
  });
}
