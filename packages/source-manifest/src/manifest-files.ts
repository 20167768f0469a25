/** The files of a manifest folder: which count, what they are, and their bytes. No file can hang or flood the agent. */

import { type BigIntStats, constants } from "node:fs";
import { lstat, open, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { SourceFault } from "@hooklet/core/host";
import { MAX_MANIFEST_BYTES, namespacedName, type Pod } from "@hooklet/manifest";
import { errno } from "@hooklet/utils";

/** Temporary and backup files of editors and tools: vim, emacs, JetBrains, and what is hidden, as for a kubelet. */
const IGNORED = /^\.|~$|^#.*#$|\.sw[a-px]$|\.tmp$|^4913$|___jb_(tmp|old|bak)___$/;

export interface ManifestFile {
  readonly path: string;
  /** Changes whenever the content may have changed. */
  readonly stamp: string;
}

/** Not a thing that can be read as a manifest. */
export class NotAFileError extends Error {}

function isIgnored(path: string): boolean {
  return IGNORED.test(basename(path));
}

/**
 * The manifest files of a folder by name, or the one file that `path` is. Subfolders are left out; other things that
 * are no files have a stamp too: reading them tells what they are. Rejects when `path` cannot be listed.
 */
export async function listManifests(path: string): Promise<readonly ManifestFile[]> {
  const root = await stat(path, { bigint: true });
  if (!root.isDirectory()) return [{ path, stamp: stampOf(root) }];
  const names = (await readdir(path)).filter((name) => !isIgnored(name)).sort();
  const files = await Promise.all(names.map((name) => look(join(path, name))));
  return files.filter((file) => file !== undefined);
}

async function look(path: string): Promise<ManifestFile | undefined> {
  try {
    const found = await stat(path, { bigint: true });
    return found.isDirectory() ? undefined : { path, stamp: stampOf(found) };
  } catch (error) {
    const code = errno(error);
    const gone = code === "ENOENT" && (await lstat(path).catch(() => undefined)) === undefined;
    // A link to nothing, as while links are swapped, is still there: reading it tells what is wrong.
    return gone ? undefined : { path, stamp: String(code) };
  }
}

/** Rejects with NotAFileError for FIFOs, sockets, devices and files above 10 MiB, or with the system's error. */
export async function readManifestFile(path: string): Promise<Buffer> {
  // Without O_NONBLOCK, opening a FIFO waits for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const found = await file.stat({ bigint: true });
    if (!found.isFile()) throw new NotAFileError(`it is ${kindOf(found)}; expected a regular file`);
    if (found.size > BigInt(MAX_MANIFEST_BYTES)) {
      throw new NotAFileError(`it has ${found.size} bytes; expected at most ${MAX_MANIFEST_BYTES}`);
    }
    const bytes = Buffer.alloc(Number(found.size));
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

function kindOf(found: BigIntStats): string {
  if (found.isFIFO()) return "a FIFO";
  if (found.isSocket()) return "a socket";
  if (found.isDirectory()) return "a directory";
  return "a device";
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

// The pods of a folder of manifests, and the file that each of them runs from.

/** What is known of a file. */
export interface Entry {
  readonly stamp: string;
  /** The last good pods: they run on while the file is faulty. */
  readonly pods: readonly Pod[];
  readonly fault?: SourceFault;
  /** It has been faulty since, and that is reported from `faultFrom` on (both monotonic). */
  readonly faultSince: number;
  readonly faultFrom: number;
}

/** By path, in the order of the names. */
export type Entries = ReadonlyMap<string, Entry>;

/** The file of each pod, by all that no two pods may share. */
export type Owners = Map<string, string>;

export interface ManifestSet {
  readonly pods: readonly Pod[];
  /** By path. */
  readonly faults: ReadonlyMap<string, SourceFault>;
  readonly owners: Owners;
}

/** A later file does not take a pod from the file that it runs from; a new pod belongs to the first file by name. */
export function wholeSet(entries: Entries, before: Owners, now: number): ManifestSet {
  const faults = new Map<string, SourceFault>();
  const pods: Pod[] = [];
  const owners = ownersThatStay(entries, before);
  const taken = new Set<string>();
  for (const [path, { pods: own, fault, faultFrom }] of entries) {
    if (fault !== undefined && faultFrom <= now) faults.set(path, fault);
    for (const pod of own) {
      const keys = keysOf(pod);
      const other = keys.find((key) => taken.has(key) || (owners.get(key) ?? path) !== path);
      if (other === undefined) {
        pods.push(pod);
        for (const key of keys) {
          owners.set(key, path);
          taken.add(key);
        }
      } else if (!faults.has(path)) {
        const message = `${other} is already in ${owners.get(other)}; it runs from there, rename or remove one of the two`;
        faults.set(path, { where: path, message });
      }
    }
  }
  return { pods, faults, owners };
}

/** The pods of these files that have no owner yet; from now on the files own them. */
export function takeUnowned(paths: readonly string[], entries: Entries, owners: Owners): readonly Pod[] {
  const found: Pod[] = [];
  for (const path of paths) {
    for (const pod of entries.get(path)?.pods ?? []) {
      const keys = keysOf(pod);
      if (keys.some((key) => owners.has(key))) continue;
      for (const key of keys) owners.set(key, path);
      found.push(pod);
    }
  }
  return found;
}

export function sameSet(a: readonly Pod[], b: readonly Pod[]): boolean {
  return a.length === b.length && a.every((pod, i) => pod === b[i]);
}

function ownersThatStay(entries: Entries, before: Owners): Owners {
  const stay: Owners = new Map();
  for (const [path, { pods }] of entries) {
    for (const key of pods.flatMap(keysOf)) if (before.get(key) === path) stay.set(key, path);
  }
  return stay;
}

/** What no two pods may share. */
function keysOf({ metadata }: Pod): readonly string[] {
  return [`pod ${namespacedName(metadata)}`, `uid ${metadata.uid}`];
}
