/** How far a container's output has been taken into its log, on disk, and where output begins of which that is not known any more. */
import { closeSync, constants, writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { openOwn } from "@hooklet/linux";
import { readState } from "../state-text.js";

export interface Position {
  /** Bytes of the output that are in the log. */
  readonly taken: number;
  /** The log that was written last, and its size afterwards. */
  readonly logInode: string;
  readonly logSize: number;
}

const START: Position = { taken: 0, logInode: "", logSize: 0 };

/** Always as long, so that a write replaces all of the one before it. */
const LENGTH = 80;

/** START when none was written, or it cannot be read: then output is in the log twice rather than not at all. */
export async function readPosition(file: string): Promise<Position> {
  const text = (await readState(file).catch(() => undefined)) ?? "";
  const [, taken, logInode, logSize] = /^(\d+) (\d+) (\d+) *\n$/.exec(text) ?? [];
  if (taken === undefined || logInode === undefined || logSize === undefined) return START;
  return { taken: Number(taken), logInode, logSize: Number(logSize) };
}

/** One write: a killed agent leaves the old one or the new one. Not synced: with the machine the container goes too. */
export function writePosition(file: string, { taken, logInode, logSize }: Position): void {
  const handle = openOwn(file, constants.O_WRONLY, 0o600);
  try {
    writeSync(handle, `${`${taken} ${logInode} ${logSize}`.padEnd(LENGTH - 1)}\n`, 0);
  } finally {
    closeSync(handle);
  }
}

/** Holes consist of whole blocks. */
export const BLOCK = 4096;
const CHUNK = 64 * BLOCK;
const ZEROS = Buffer.alloc(BLOCK);

/** Bytes from the start of the file that were freed; 0 where it has no hole. `blocks` of 512 bytes, as stat(2) has it. */
export async function behindHole(
  file: FileHandle,
  { size, blocks }: { readonly size: bigint; readonly blocks: bigint },
): Promise<number> {
  if (blocks * 512n >= size) return 0;
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; ; at += CHUNK) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK, at);
    const empty = emptyBlocks(chunk.subarray(0, bytesRead));
    if (empty < CHUNK) return at + empty;
  }
}

/** Length of the whole blocks of zeros at the start. Pure. */
function emptyBlocks(bytes: Buffer): number {
  let at = 0;
  while (at + BLOCK <= bytes.length && bytes.compare(ZEROS, 0, BLOCK, at, at + BLOCK) === 0) at += BLOCK;
  return at;
}
