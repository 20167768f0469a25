/** Files of the kernel: read to their end once, or again and again by one descriptor that stays open. */

import { closeSync, constants, openSync, readSync } from "node:fs";
import { errno, NodeAgentError, unless } from "@hooklet/utils";
import type { KernelFileReader } from "../host.js";

export const MAX_KERNEL_FILE_BYTES = 16 * 1024 * 1024;

/** Shared: reads are synchronous. memory.stat takes about 2 KiB. */
const room = Buffer.allocUnsafe(64 * 1024);

/** Codes that mean that a cgroup, or the process in it, is gone. */
export const GONE = ["ENOENT", "ENODEV", "ENOTDIR", "ESRCH"];

/**
 * Reads until the end: a file of many records, such as mountinfo, comes a page at a time. `from` 0: from
 * the start, at any position of the descriptor.
 */
export function readAll(file: number, path: string, from: 0 | null = null): string {
  let filled = 0;
  const parts: Buffer[] = [];
  let all = 0;
  for (;;) {
    const length = readSync(file, room, filled, room.length - filled, from === null ? null : all);
    all += length;
    filled += length;
    if (length === 0) break;
    if (all > MAX_KERNEL_FILE_BYTES) throw tooLarge(path);
    if (filled < room.length) continue;
    parts.push(Buffer.from(room));
    filled = 0;
  }
  // The common file is one piece, decoded from where it lies.
  if (parts.length === 0) return room.toString("utf8", 0, filled);
  return Buffer.concat([...parts, room.subarray(0, filled)]).toString("utf8");
}

function tooLarge(path: string): Error {
  const text = `${path} has more than ${MAX_KERNEL_FILE_BYTES} bytes; expected a small file of the kernel`;
  return Object.assign(new Error(text), { code: "EFBIG" });
}

/** Open files checked for each newly opened one: of dead files at most a quarter as many as of the others stay open. */
const LOOKS = 4;

export function createReader(limit: number): KernelFileReader {
  /** Path -> descriptor, least recently read first. */
  const open = new Map<string, number>();
  let closed = false;
  const forget = (path: string): void => {
    const file = open.get(path);
    open.delete(path);
    if (file !== undefined) closeSync(file);
  };
  /** A few at each new file, least recently read first: files of a removed cgroup are never read again. */
  const forgetGone = (): void => {
    let looks = 0;
    for (const [path, file] of open) {
      if (isGone(file)) forget(path);
      else {
        // Others come before it next time.
        open.delete(path);
        open.set(path, file);
      }
      if (++looks === LOOKS) return;
    }
  };
  const fresh = (path: string): string | undefined =>
    unless(GONE, undefined, () => {
      forgetGone();
      const file = openSync(path, constants.O_RDONLY);
      open.set(path, file);
      for (const oldest of open.keys()) {
        if (open.size <= Math.max(1, limit)) break;
        forget(oldest);
      }
      return readAll(file, path, 0);
    });
  return {
    read(path) {
      if (closed)
        throw new NodeAgentError("INVALID", `A reader of kernel files that was closed was asked for ${path}.`);
      const file = open.get(path);
      if (file === undefined) return fresh(path);
      const text = unless(GONE, undefined, () => readAll(file, path, 0));
      if (text !== undefined) {
        open.delete(path);
        open.set(path, file);
        return text;
      }
      // The cgroup of then is gone; another of that name may be there.
      forget(path);
      return fresh(path);
    },
    close() {
      closed = true;
      for (const path of [...open.keys()]) forget(path);
    },
  };
}

/** One byte decides: reading it fails when the cgroup or process is gone. Other errors go to the next reader of that file. */
function isGone(file: number): boolean {
  try {
    readSync(file, byte, 0, 1, 0);
    return false;
  } catch (error) {
    return GONE.includes(errno(error) ?? "");
  }
}

const byte = Buffer.alloc(1);
