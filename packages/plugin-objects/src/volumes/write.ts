/**
 * A volume's files, all of one version at any moment: written into a new folder beside the old one, then `..data`, over which all
 * entries lead, points to the new one by one rename (the kubelet's AtomicWriter).
 */
import {
  chmod,
  chown,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { whenGone } from "@hooklet/core";
import { cleanPath, cleanPayload, TIMESTAMPED, timestampPrefix, visibleEntries } from "../payload/paths.js";
import type { FilePayload, Payload } from "../payload/payload.js";

const DATA = "..data";
const NEW_DATA = "..data_tmp";
/** The group may read files, and enter folders, in which what is new is the group's as well. */
const GROUP_FILE = 0o440;
const GROUP_FOLDER = 0o2550;

export interface WriteOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The pod's fsGroup. Left out where the agent is not root. */
  readonly group?: number;
  /** Folders that containers mount over, relative. */
  readonly nested?: readonly string[];
}

/** True when something was written. Equal content leaves the files alone. @throws PayloadError for paths that lead elsewhere */
export async function writeVolume(directory: string, payload: Payload, options: WriteOptions): Promise<boolean> {
  const files = cleanPayload(payload);
  for (const folder of options.nested ?? [])
    await mkdir(path.join(directory, cleanPath(folder)), { recursive: true, mode: 0o755 });
  const current = await currentFolder(directory);
  const isSame = current !== undefined && (await holds(path.join(directory, current), files));
  const fresh = isSame ? current : await writeFresh(directory, files, options);
  await showEntries(directory, files);
  await removeOld(directory, fresh, visibleEntries(files));
  return !isSame;
}

/** The folder to which `..data` leads; undefined at first, and where the link leads elsewhere. */
async function currentFolder(directory: string): Promise<string | undefined> {
  const target = await whenGone(undefined, () => readlink(path.join(directory, DATA)));
  return target !== undefined && TIMESTAMPED.test(target) ? target : undefined;
}

/** Whether the folder holds these files with this content, and no others. */
async function holds(folder: string, files: Payload): Promise<boolean> {
  const there = await filesBelow(folder);
  if (there.length !== files.size) return false;
  for (const file of there) {
    const wanted = files.get(file);
    if (wanted === undefined) return false;
    const at = path.join(folder, file);
    if ((await lstat(at)).size !== wanted.data.length || !(await readFile(at)).equals(wanted.data)) return false;
  }
  return true;
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await whenGone([], () => readdir(folder, { withFileTypes: true, recursive: true }));
  return entries.flatMap((entry) =>
    entry.isDirectory() ? [] : path.relative(folder, path.join(entry.parentPath, entry.name)),
  );
}

async function writeFresh(directory: string, files: Payload, { now, group }: WriteOptions): Promise<string> {
  const folder = await mkdtemp(path.join(directory, timestampPrefix(now)));
  try {
    await chmod(folder, 0o755);
    for (const [file, content] of files) await writeOne(folder, file, content);
    if (group !== undefined) await letIn(folder, group);
    await rm(path.join(directory, NEW_DATA), { force: true });
    await symlink(path.basename(folder), path.join(directory, NEW_DATA));
    await rename(path.join(directory, NEW_DATA), path.join(directory, DATA));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return path.basename(folder);
}

async function writeOne(folder: string, file: string, { data, mode, owner }: FilePayload): Promise<void> {
  const at = path.join(folder, file);
  await makeFolders(folder, path.dirname(file));
  await writeFile(at, data, { mode: 0o600, flag: "wx" });
  // Neither obeys the umask.
  await chmod(at, mode);
  if (owner !== undefined && isRoot()) await chown(at, owner, -1);
}

async function makeFolders(folder: string, below: string): Promise<void> {
  if (below === ".") return;
  const first = await mkdir(path.join(folder, below), { recursive: true });
  if (first === undefined) return;
  for (let at = path.join(folder, below); at !== folder; at = path.dirname(at)) await chmod(at, 0o755);
}

/** Gives all below the folder, and itself, to the group. */
async function letIn(folder: string, group: number): Promise<void> {
  if (!isRoot()) return;
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const all = entries.map((entry) => path.join(entry.parentPath, entry.name));
  for (const at of [...all, folder]) {
    const before = await lstat(at);
    await lchown(at, -1, group);
    // A change of the group takes the set-group-id bit away: the mode comes last.
    await chmod(at, (before.mode & 0o7777) | (before.isDirectory() ? GROUP_FOLDER : GROUP_FILE));
  }
}

async function showEntries(directory: string, files: Payload): Promise<void> {
  const owners = new Map([...files].map(([file, { owner }]) => [file.split("/", 1)[0] as string, owner]));
  for (const [entry, owner] of owners) {
    const at = path.join(directory, entry);
    if ((await whenGone(undefined, () => lstat(at))) !== undefined) continue;
    await symlink(path.join(DATA, entry), at);
    if (owner !== undefined && isRoot()) await lchown(at, owner, -1);
  }
}

/** Links to files that are gone, and folders of earlier versions, one that a crash left half among them. */
async function removeOld(directory: string, current: string, visible: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const { name } = entry;
    const isStale = entry.isSymbolicLink()
      ? name !== DATA && !visible.has(name)
      : entry.isDirectory() && TIMESTAMPED.test(name) && name !== current;
    if (isStale) await rm(path.join(directory, name), { recursive: true, force: true });
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
