/** Finds where the last lines of a log file begin, reading it from its end in blocks. */

import type { OpenFile } from "@hooklet/linux";
import { MAX_HEAD, parseHead } from "./cri-parser.js";

const BLOCK = 64 * 1024;
const NEWLINE = 0x0a;

async function readAt(file: OpenFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Where lines begin that follow a newline, from the end of the file to its start; last of all, 0. */
async function* lineStarts(file: OpenFile, size: number): AsyncGenerator<number> {
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - BLOCK);
    const block = await readAt(file, begin, end - begin);
    for (let at = block.lastIndexOf(NEWLINE); at !== -1; at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)) {
      yield begin + at + 1;
    }
    end = begin;
  }
  yield 0;
}

/**
 * The offset at which the last `lines` lines begin; `size` for 0 lines. A last line without a newline counts as one. In CRI
 * files the parts of one long line count as one line.
 */
export async function tailOffset(file: OpenFile, size: number, lines: number, format: "cri" | "raw"): Promise<number> {
  if (lines <= 0) return size;
  let found = 0;
  let offset = size;
  for await (const start of lineStarts(file, size)) {
    if (start === size) continue;
    // A part of a longer line: it belongs to the line that was found behind it, unless it is the end of the file.
    const part = format === "cri" && offset !== size && (await isPartial(file, start));
    if (!part) {
      if (found === lines) return offset;
      found += 1;
    }
    offset = start;
  }
  return 0;
}

async function isPartial(file: OpenFile, start: number): Promise<boolean> {
  const line = await readAt(file, start, MAX_HEAD);
  return parseHead(line)?.partial === true;
}
