/** A container's log, below folders that others may have changed: no link is followed. */

import { closeSync, constants, fstatSync, ftruncateSync, openSync, readdirSync, write, writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { openForAppending, openLogFolder, openOwn } from "@hooklet/linux";
import { readState } from "../state-text.js";

const writeTo = promisify(write);

/** Made when it is not there. The caller closes it. */
export function openLog(file: string): number {
  const folder = openLogFolder(file);
  try {
    return openForAppending(folder, path.basename(file), 0o640);
  } finally {
    folder.close();
  }
}

/**
 * Cuts off what an agent appended that died before it had noted it: it is taken again. Where the log was rotated in that moment, that lies in
 * the rotated file. Returns the log's size.
 */
export function withoutRepeat(log: number, file: string, position: Position): number {
  const { ino, size } = fstatSync(log, { bigint: true });
  if (String(ino) === position.logInode) return cutTo(log, Number(size), position.logSize);
  if (position.logInode !== "") cutRotated(file, position);
  return Number(size);
}

function cutRotated(file: string, { logInode, logSize }: Position): void {
  const folder = openLogFolder(file);
  try {
    for (const name of readdirSync(folder.path)) {
      const entry = folder.child(name);
      entry?.close();
      if (!entry?.stat.isFile() || String(entry.stat.ino) !== logInode) continue;
      const rotated = openSync(folder.at(name), constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const { ino, size } = fstatSync(rotated, { bigint: true });
        if (String(ino) === logInode) cutTo(rotated, Number(size), logSize);
      } finally {
        closeSync(rotated);
      }
    }
  } finally {
    folder.close();
  }
}

/** The size that it has then. */
function cutTo(log: number, size: number, logSize: number): number {
  if (size <= logSize) return size;
  ftruncateSync(log, logSize);
  return logSize;
}

/** All or nothing: on a full disk the log is cut back to what it was. */
export async function appendWhole(log: number, bytes: Buffer, sizeBefore: number): Promise<void> {
  try {
    for (let at = 0; at < bytes.length; ) at += (await writeTo(log, bytes, at)).bytesWritten;
  } catch (error) {
    ftruncateSync(log, sizeBefore);
    throw error;
  }
}

/**
 * How far a container's output has been taken into its log, on disk, and where output begins of which that is not known any more.
 */
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
