/**
 * The file calls that the agent makes below its root directory, named as in Node. A folder can be a separate disk
 * (`mountDisk`): files there are read from that disk, synchronously. Every other path is the machine's.
 */
import fs, { promises } from "node:fs";
import { Readable } from "node:stream";
import { promisify } from "node:util";

const calls = [
  "chmodSync",
  "chownSync",
  "closeSync",
  "fchmodSync",
  "fchownSync",
  "fstatSync",
  "lchownSync",
  "lstatSync",
  "mkdirSync",
  "mkdtempSync",
  "openSync",
  "readFileSync",
  "readSync",
  "readdirSync",
  "readlinkSync",
  "realpathSync",
  "renameSync",
  "rmSync",
  "rmdirSync",
  "statSync",
  "symlinkSync",
  "unlinkSync",
  "writeFileSync",
] as const;

/** Done by another thread, where the disk is the machine's. */
const laterCalls = [
  "lstat",
  "mkdir",
  "readdir",
  "readlink",
  "realpath",
  "rename",
  "rm",
  "rmdir",
  "stat",
  "unlink",
] as const;

/** What a disk answers: as Node's function of the same name does, also by `/proc/self/fd/N`, with the same errors. */
export type Disk = Pick<typeof fs, (typeof calls)[number]>;

/** Descriptors of other disks than the machine's are from here on; a process never has so many files open. */
export const FIRST_DESCRIPTOR = 2 ** 30;

const OF_DESCRIPTOR = /^\/proc\/self\/fd(?:info)?\/(\d{10,})(?:\/|$)/;

interface Mounted {
  readonly folder: string;
  readonly disk: Disk;
  /** Whether a descriptor is one of the disk's. */
  readonly has: (descriptor: number) => boolean;
}

const mounts = new Set<Mounted>();

/** From now on the folder is this disk, for this process. Returns what ends that. */
export function mountDisk(mounted: Mounted): () => void {
  mounts.add(mounted);
  return () => mounts.delete(mounted);
}

/** Undefined: the machine's. */
function diskOf(place: unknown): Disk | undefined {
  if (mounts.size === 0) return undefined;
  const descriptor = typeof place === "number" ? place : Number(OF_DESCRIPTOR.exec(String(place))?.[1] ?? 0);
  for (const { folder, disk, has } of mounts) {
    if (descriptor >= FIRST_DESCRIPTOR ? has(descriptor) : isBelow(String(place), folder)) return disk;
  }
  return undefined;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === "/");
}

type Call = (...given: readonly unknown[]) => unknown;

/** @param at which argument says where */
function routed<Name extends keyof Disk>(name: Name, at = 0): Disk[Name] {
  const call: Call = (...given) => ((diskOf(given[at]) ?? fs) as Record<Name, Call>)[name](...given);
  return call as Disk[Name];
}

function later<Name extends (typeof laterCalls)[number]>(name: Name): (typeof promises)[Name] {
  const call: Call = (...given) => {
    const disk = diskOf(given[0]);
    if (disk === undefined) return (promises as Record<Name, Call>)[name](...given);
    return new Promise((resolve) => resolve((disk as Record<`${Name}Sync`, Call>)[`${name}Sync`](...given)));
  };
  return call as (typeof promises)[Name];
}

/** Reads the first entry only. */
async function isEmptyFolder(path: string): Promise<boolean> {
  const disk = diskOf(path);
  if (disk !== undefined) return disk.readdirSync(path).length === 0;
  const open = await promises.opendir(path);
  try {
    return (await open.read()) === null;
  } finally {
    await open.close();
  }
}

/** Resolves once what was written is on the disk. */
async function sync(descriptor: number): Promise<void> {
  if (diskOf(descriptor) === undefined) await promisify(fs.fsync)(descriptor);
}

/** By another thread, where the disk is the machine's. */
async function writeAll(descriptor: number, data: Buffer): Promise<void> {
  const disk = diskOf(descriptor);
  if (disk === undefined) await promisify(fs.writeFile)(descriptor, data);
  else disk.writeFileSync(descriptor, data);
}

/** What is read of an open file. */
export type OpenFile = Pick<promises.FileHandle, "stat" | "read" | "createReadStream" | "close">;

async function open(path: string, flags: number): Promise<OpenFile> {
  const disk = diskOf(path);
  if (disk === undefined) return promises.open(path, flags);
  const descriptor = disk.openSync(path, flags);
  const file = {
    stat: async () => disk.fstatSync(descriptor),
    read: async (buffer: Buffer, offset: number, length: number, position: number | null) => {
      return { buffer, bytesRead: disk.readSync(descriptor, buffer, offset, length, position) };
    },
    createReadStream: () => Readable.from([disk.readFileSync(descriptor)]),
    close: async () => disk.closeSync(descriptor),
  };
  return file as OpenFile;
}

export interface FileCalls extends Disk, Pick<typeof promises, (typeof laterCalls)[number]> {
  readonly isEmptyFolder: typeof isEmptyFolder;
  readonly sync: typeof sync;
  readonly writeAll: typeof writeAll;
  readonly open: typeof open;
}

export const disk = {
  ...Object.fromEntries(calls.map((name) => [name, routed(name, name === "symlinkSync" ? 1 : 0)])),
  ...Object.fromEntries(laterCalls.map((name) => [name, later(name)])),
  isEmptyFolder,
  sync,
  writeAll,
  open,
} as FileCalls;
