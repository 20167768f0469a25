/**
 * Rotation of one container's log, as the kubelet does it: the file is renamed with a time, the runtime opens a new one, the
 * older ones are compressed and the oldest removed.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { errno } from "../lib/errno.js";

export interface Rotation {
  /** Absolute path of the log file. */
  readonly file: string;
  /** Bytes above which it is rotated. */
  readonly maxSize: number;
  /** Files kept, the current one included. */
  readonly maxFiles: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Has the runtime write to a new file. */
  readonly reopen: () => Promise<void>;
}

const TEMPORARY = ".tmp";
const COMPRESSED = ".gz";
const ROTATED = /^\.\d{8}-\d{6}(\.gz)?$/;

/** True when it was rotated. Rejects with nothing lost when the runtime does not open a new file. */
export async function rotateLog({ file, maxSize, maxFiles, now, reopen }: Rotation): Promise<boolean> {
  const size = await sizeOf(file);
  if (size === undefined || size <= maxSize) return false;
  const older = await rotatedLogs(file);
  // Beside the current file and the one that is about to be rotated.
  const excess = older.slice(0, Math.max(0, older.length - Math.max(0, maxFiles - 2)));
  for (const old of excess) await rm(old, { force: true });
  for (const old of older) {
    if (!excess.includes(old) && !old.endsWith(COMPRESSED)) await compress(old);
  }
  const aside = `${file}.${timestamp(now)}`;
  await rename(file, aside);
  try {
    await reopen();
  } catch (error) {
    // The runtime still writes to it: under its own name it is found by whoever reads the log.
    await rename(aside, file);
    throw error;
  }
  return true;
}

/** Oldest first; what a broken compression left behind is removed. */
async function rotatedLogs(file: string): Promise<readonly string[]> {
  const folder = path.dirname(file);
  const found: string[] = [];
  for (const entry of await readdir(folder)) {
    if (!entry.startsWith(`${path.basename(file)}.`)) continue;
    const whole = path.join(folder, entry);
    const suffix = entry.slice(path.basename(file).length);
    if (suffix.endsWith(TEMPORARY)) await rm(whole, { force: true });
    else if (ROTATED.test(suffix)) found.push(whole);
  }
  return found.toSorted();
}

async function compress(file: string): Promise<void> {
  const temporary = `${file}${TEMPORARY}`;
  await pipeline(createReadStream(file), createGzip(), createWriteStream(temporary, { mode: 0o640 }));
  await rename(temporary, `${file}${COMPRESSED}`);
  await rm(file, { force: true });
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Go's 20060102-150405, in UTC. */
function timestamp(now: number): string {
  const [day = "", time = ""] = new Date(now).toISOString().split("T");
  return `${day.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}`;
}
