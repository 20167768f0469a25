/**
 * Rotation of one container's log, as the kubelet does it: the file is renamed with a time, the runtime opens a new one, the
 * older ones are compressed and the oldest removed.
 */
import { link, open } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { disk, openLogFolder, openRegular, type Place } from "@hooklet/linux";
import { errno, errorText, whenGone } from "@hooklet/utils";

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

/** True when it was rotated. Rejects with nothing lost when the runtime does not open a new file, or when a link is in the way. */
export async function rotateLog(rotation: Rotation): Promise<boolean> {
  if (isSmall(rotation)) return false;
  const folder = await whenGone(undefined, () => openLogFolder(rotation.file));
  if (folder === undefined) return false;
  try {
    return await rotateIn(folder, path.basename(rotation.file), rotation);
  } finally {
    folder.close();
  }
}

/** What costs least: most logs are small whenever they are read. A link on the way can only make a log seem small. */
function isSmall({ file, maxSize }: Rotation): boolean {
  const stat = disk.lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= maxSize;
}

/** The folder stays open meanwhile: a container with the folder mounted cannot redirect the rotation. */
async function rotateIn(folder: Place, name: string, { maxSize, maxFiles, now, reopen }: Rotation): Promise<boolean> {
  const size = sizeOf(folder, name);
  if (size === undefined || size <= maxSize) return false;
  const older = await rotatedLogs(folder, name);
  // The current file and the one that is about to be rotated count as two.
  const excess = older.slice(0, Math.max(0, older.length - Math.max(0, maxFiles - 2)));
  for (const old of excess) await disk.unlink(folder.at(old));
  for (const old of older) {
    if (!excess.includes(old) && !old.endsWith(COMPRESSED)) await compress(folder, old);
  }
  const aside = `${name}.${timestamp(now)}`;
  await disk.rename(folder.at(name), folder.at(aside));
  try {
    await reopen();
  } catch (error) {
    try {
      await putBack(folder, aside, name);
    } catch (second) {
      const text = `the log was not rotated (${errorText(error)}), and is now ${aside}: ${errorText(second)}`;
      throw new AggregateError([error, second], text);
    }
    throw error;
  }
  return true;
}

/**
 * The runtime still writes to the old file, so it gets its name back and readers find it. If the runtime created the new file
 * after all, maybe at this very moment, a rename would overwrite it.
 */
async function putBack(folder: Place, aside: string, name: string): Promise<void> {
  try {
    await link(folder.at(aside), folder.at(name));
  } catch (error) {
    if (errno(error) === "EEXIST") return;
    throw error;
  }
  await disk.unlink(folder.at(aside));
}

/** Oldest first; what a broken compression left behind is removed. */
async function rotatedLogs(folder: Place, name: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await disk.readdir(folder.path)) {
    if (!entry.startsWith(`${name}.`)) continue;
    const suffix = entry.slice(name.length);
    if (suffix.endsWith(TEMPORARY)) await disk.unlink(folder.at(entry));
    else if (ROTATED.test(suffix)) found.push(entry);
  }
  return found.toSorted();
}

async function compress(folder: Place, name: string): Promise<void> {
  const temporary = `${name}${TEMPORARY}`;
  const source = await openRegular(folder, name);
  try {
    // "wx": a file created there meanwhile is neither followed nor overwritten.
    const target = await open(folder.at(temporary), "wx", 0o640);
    await pipeline(source.createReadStream(), createGzip(), target.createWriteStream());
  } finally {
    await source.close();
  }
  await disk.rename(folder.at(temporary), folder.at(`${name}${COMPRESSED}`));
  await disk.unlink(folder.at(name));
}

/** Undefined when it is not there. Throws for what is no regular file. */
function sizeOf(folder: Place, name: string): number | undefined {
  const entry = folder.child(name);
  if (entry === undefined) return undefined;
  entry.close();
  if (entry.stat.isFile()) return entry.stat.size;
  throw new Error(`${name}: expected a regular file, found something else; look who writes in its directory`);
}

/** Go's 20060102-150405, in UTC. */
function timestamp(now: number): string {
  const [day = "", time = ""] = new Date(now).toISOString().split("T");
  return `${day.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}`;
}
