/**
 * Disk space of the root directory reserved for the start of an agent: on a full disk it could create no directory and no
 * socket, and without an agent no image would be removed.
 */
import { constants } from "node:fs";
import path from "node:path";
import { whenGone } from "@hooklet/utils";
import { disk } from "../files/disk.js";
import { openOwn } from "../files/own-files.js";
import { removeTree } from "../files/remove-tree.js";

/** Bytes: some hundred small files and directories. */
const SIZE = 1024 ** 2;
/** Free space, in multiples of the reserve, above which a reserve is made: the reserve must not fill the disk. */
const PLENTY = 16;

/** What is read from the machine. */
interface FreeRoom {
  statfs(path: string): Promise<{ readonly availableBytes: number }>;
}

const fileOf = (rootDir: string): string => path.join(rootDir, "reserve");

/** To be called before anything is made in the root directory: on a full disk the reserve is given up. True when it was. */
export async function useReserve(rootDir: string, host: FreeRoom): Promise<boolean> {
  if ((await host.statfs(rootDir)).availableBytes >= SIZE) return false;
  const there = await sizeOf(fileOf(rootDir));
  if (there === 0) return false;
  await removeTree(fileOf(rootDir));
  return true;
}

/** Creates the reserve where there is none and enough free space. Rejects with the system's error, or when the disk does not answer; then there is none. */
export async function keepReserve(rootDir: string, host: FreeRoom): Promise<void> {
  const name = fileOf(rootDir);
  if ((await sizeOf(name)) >= SIZE || (await host.statfs(rootDir)).availableBytes < PLENTY * SIZE) return;
  if (await isFolder(name)) await removeTree(name);
  const file = openOwn(name, constants.O_WRONLY | constants.O_TRUNC, 0o600);
  try {
    await disk.writeAll(file, Buffer.alloc(SIZE));
  } catch (error) {
    await disk.rm(name, { force: true });
    throw error;
  } finally {
    disk.closeSync(file);
  }
}

function sizeOf(file: string): Promise<number> {
  return whenGone(0, async () => (await disk.lstat(file)).size);
}

function isFolder(file: string): Promise<boolean> {
  return whenGone(false, async () => (await disk.lstat(file)).isDirectory());
}
