/** The runtime's own small files, which may be damaged: a link, a FIFO, a folder, far too large. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { readBounded } from "@hooklet/linux";
import { isMissing, unlessMissing } from "./fs-errors.js";

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
