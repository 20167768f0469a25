/** How a file of the kernel is read to its end, and what its errors mean. */
import { readSync } from "node:fs";

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
