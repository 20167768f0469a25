/**
 * Writes a volume's files so that all are of one version at any moment: into a new folder, then `..data`, through which all
 * entries lead, is renamed to point to it (the kubelet's AtomicWriter). Every step goes through an open folder: no link, and
 * no mount in the volume, leads a write or a removal elsewhere.
 */
import { constants } from "node:fs";
import path from "node:path";
import type { Host, Pod } from "@hooklet/core";
import { unless } from "@hooklet/core/subsystem";
import { disk, Place, removeTree } from "@hooklet/linux";
import { cleanPath, cleanPayload, TIMESTAMPED, timestampPrefix, visibleEntries } from "../payload/paths.js";
import type { FilePayload, Payload } from "../payload/payload.js";

const DATA = "..data";
const NEW_DATA = "..data_tmp";
const FOLDER = 0o755;
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

export interface VolumeContent {
  readonly directory: string;
  readonly payload: Payload;
  readonly options: WriteOptions;
}

/** Rejects when it was not written, or when the volume does not answer. */
export type WriteVolume = (content: VolumeContent, pod: Pod) => Promise<void>;

/** Operations of the subprocess: a mount in the volume may hang. */
export const writeOperations = {
  write: ({ directory, payload, options }: VolumeContent): Promise<boolean> => writeVolume(directory, payload, options),
};

/** Writes by such processes until it is closed. */
export function writeApart(host: Pick<Host, "apart">): { readonly write: WriteVolume; close(): void } {
  const module = new URL("./write-helper.js", import.meta.url);
  const apart = host.apart({ module, operations: writeOperations });
  return {
    async write(content, pod) {
      // What it refuses is refused here already.
      cleanPayload(content.payload);
      await apart.call("write", content, { path: content.directory, together: pod.metadata.uid });
    },
    close: () => apart.close(),
  };
}

/** True when something was written. Equal content leaves the files alone. @throws PayloadError for paths that lead elsewhere */
export async function writeVolume(directory: string, payload: Payload, options: WriteOptions): Promise<boolean> {
  const files = cleanPayload(payload);
  const nested = (options.nested ?? []).map(cleanPath);
  const volume = Place.open(directory);
  try {
    if (!volume.stat.isDirectory()) throw new Error(`${directory} is in the way: expected a directory`);
    for (const folder of nested) makeFolders(volume, folder)?.close();
    const current = currentFolder(volume);
    const isSame = current !== undefined && holds(volume, current, files);
    const fresh = isSame ? current : await writeFresh(volume, files, options);
    showEntries(volume, files);
    await removeOld(volume, fresh, visibleEntries(files));
    return !isSame;
  } finally {
    volume.close();
  }
}

/** The folder to which `..data` leads; undefined at first, and where the link leads elsewhere. */
function currentFolder(volume: Place): string | undefined {
  const target = unless(["ENOENT", "EINVAL"], undefined, () => disk.readlinkSync(volume.at(DATA)));
  return target !== undefined && TIMESTAMPED.test(target) ? target : undefined;
}

/** Whether the folder holds these files with this content, and no others. */
function holds(volume: Place, current: string, files: Payload): boolean {
  const folder = volume.child(current);
  if (folder === undefined) return false;
  try {
    if (!folder.stat.isDirectory()) return false;
    let found = 0;
    const isEqual = everyFile(folder, "", (parent, name, file) => {
      found += 1;
      const wanted = files.get(file);
      return wanted !== undefined && hasContent(parent, name, wanted.data);
    });
    return isEqual && found === files.size;
  } finally {
    folder.close();
  }
}

/** Stops at the first of which `holds` says no. */
function everyFile(
  folder: Place,
  below: string,
  holds: (parent: Place, name: string, file: string) => boolean,
): boolean {
  return disk.readdirSync(folder.path, { withFileTypes: true }).every((entry) => {
    const file = path.join(below, entry.name);
    if (!entry.isDirectory()) return holds(folder, entry.name, file);
    return withChild(folder, entry.name, (child) => child.stat.isDirectory() && everyFile(child, file, holds));
  });
}

function hasContent(parent: Place, name: string, data: Buffer): boolean {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = unless(["ELOOP", "ENXIO"], undefined, () =>
    disk.openSync(parent.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
  );
  if (file === undefined) return false;
  try {
    const stat = disk.fstatSync(file);
    return stat.isFile() && stat.size === data.length && disk.readFileSync(file).equals(data);
  } finally {
    disk.closeSync(file);
  }
}

async function writeFresh(volume: Place, files: Payload, { now, group }: WriteOptions): Promise<string> {
  const name = path.basename(disk.mkdtempSync(volume.at(timestampPrefix(now))));
  try {
    withChild(volume, name, (folder) => {
      folder.chmod(FOLDER);
      for (const [file, content] of files) writeOne(folder, file, content);
      if (group !== undefined && isRoot()) letIn(folder, group);
    });
    unless(["ENOENT"], undefined, () => disk.unlinkSync(volume.at(NEW_DATA)));
    disk.symlinkSync(name, volume.at(NEW_DATA));
    disk.renameSync(volume.at(NEW_DATA), volume.at(DATA));
  } catch (error) {
    await removeTree(volume.at(name));
    throw error;
  }
  return name;
}

function writeOne(folder: Place, file: string, { data, mode, owner }: FilePayload): void {
  const parent = makeFolders(folder, path.dirname(file));
  if (parent === undefined) throw new Error(`${file} cannot be written: something else than a directory is in the way`);
  try {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const opened = disk.openSync(parent.at(path.basename(file)), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      disk.writeFileSync(opened, data);
      if (owner !== undefined && isRoot()) disk.fchownSync(opened, owner, -1);
      // Opening obeys the umask.
      disk.fchmodSync(opened, mode);
    } finally {
      disk.closeSync(opened);
    }
  } finally {
    parent.close();
  }
}

/** Opens the last of them; undefined where something else than a directory is on the way, which stays. */
function makeFolders(from: Place, below: string): Place | undefined {
  let here: Place | undefined = from.descend([]);
  for (const step of below.split("/").filter((name) => name !== ".")) {
    const next: Place | undefined = here.folder(step, FOLDER);
    here.close();
    if (next === undefined) return undefined;
    here = next;
  }
  return here;
}

/** Gives all below the folder, and itself, to the group. */
function letIn(folder: Place, group: number): void {
  for (const name of disk.readdirSync(folder.path)) {
    withChild(folder, name, (child) => {
      if (child.stat.isDirectory()) letIn(child, group);
      else give(child, group, GROUP_FILE);
    });
  }
  give(folder, group, GROUP_FOLDER);
}

function give(place: Place, group: number, bits: number): void {
  disk.chownSync(place.path, -1, group);
  // A change of the group takes the set-group-id bit away: the mode comes last.
  place.chmod((place.stat.mode & 0o7777) | bits);
}

function showEntries(volume: Place, files: Payload): void {
  const owners = new Map([...files].map(([file, { owner }]) => [file.split("/", 1)[0] as string, owner]));
  for (const [entry, owner] of owners) {
    const at = volume.at(entry);
    if (disk.lstatSync(at, { throwIfNoEntry: false }) !== undefined) continue;
    disk.symlinkSync(path.join(DATA, entry), at);
    if (owner !== undefined && isRoot()) disk.lchownSync(at, owner, -1);
  }
}

/** Links to files that are gone, and folders of earlier versions, one that a crash left half among them. */
async function removeOld(volume: Place, current: string, visible: ReadonlySet<string>): Promise<void> {
  for (const entry of disk.readdirSync(volume.path, { withFileTypes: true })) {
    const { name } = entry;
    const isStale = TIMESTAMPED.test(name)
      ? name !== current
      : entry.isSymbolicLink() && name !== DATA && !visible.has(name);
    if (isStale) await removeTree(volume.at(name));
  }
}

function withChild<T>(folder: Place, name: string, work: (child: Place) => T): T {
  const child = folder.child(name);
  if (child === undefined) throw new Error(`${name} went away while the volume was written`);
  try {
    return work(child);
  } finally {
    child.close();
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
