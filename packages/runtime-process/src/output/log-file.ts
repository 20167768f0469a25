/** A container's log, below folders that others may have changed: no link is followed. */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readdirSync, write } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { openForAppending, openLogFolder } from "@hooklet/linux";
import type { Position } from "./position.js";

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
