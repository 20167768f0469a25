/** A container's log, below folders that others may have changed: no link is followed. */
import { fstatSync, ftruncateSync, write } from "node:fs";
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

/** What an agent appended that died before it had noted it is taken again: cut off. Returns the log's size. */
export function withoutRepeat(log: number, { logInode, logSize }: Position): number {
  const { ino, size } = fstatSync(log, { bigint: true });
  if (String(ino) !== logInode || Number(size) <= logSize) return Number(size);
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
