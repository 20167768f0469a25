/** The runtime's own small files, which may be damaged: a link, a FIFO, a folder, far too large. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { errno } from "@hooklet/core/subsystem";
import { readBounded } from "@hooklet/linux";

/** The file, or the process that it describes, does not exist. */
export function isMissing(error: unknown): boolean {
  const code = errno(error);
  return code === "ENOENT" || code === "ENOTDIR" || code === "ESRCH";
}

/** Undefined in place of "it is not there"; any other error passes on. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Settles the given error codes as done: `rmdir` of a folder that others still use, for example. */
export async function allowing(codes: readonly string[], work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    const code = errno(error);
    if (code !== undefined && codes.includes(code)) return false;
    throw error;
  }
}

/** Of one container's or sandbox' state: env and config come from objects of at most 1 MiB, and there are a few. */
const MAX_STATE = 16 * 1024 * 1024;
/** Of files with one line, or a few. */
const MAX_LINES = 64 * 1024;

/** Undefined when it is not there. Rejects for what is no regular file. */
export function readState(file: string): Promise<string | undefined> {
  return unlessMissing(readBounded(file, { maxBytes: MAX_STATE, noLink: true }));
}

/** The beginning of a file of lines; undefined when it is not there. Throws for what is no regular file. */
export function readLines(file: string): string | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let opened: number | undefined;
  try {
    opened = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!fstatSync(opened).isFile()) throw new Error(`${file}: expected a regular file, found something else`);
    const buffer = Buffer.alloc(Math.min(fstatSync(opened).size, MAX_LINES));
    return buffer.toString("utf8", 0, readSync(opened, buffer));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
