/** A disk in memory: what the agent keeps below its root directory, without a file of the machine. */
import { constants, type Dirent, type Stats } from "node:fs";
import { type Disk, FIRST_DESCRIPTOR, mountDisk } from "@hooklet/linux";
import { failure, type Inode, kindsOf, nameIn, setMode, setOwner, statsOf } from "./inode.js";

/** Not among Node's constants. */
const O_PATH = 0o10000000;
const UMASK = 0o022;
/** Links on one way, as the kernel has it. */
const MAX_LINKS = 40;
interface Opened {
  readonly inode: Inode;
  /** The folders above it, from the top. */
  readonly above: readonly Inode[];
  readonly flags: number;
  position: number;
}

/** Where a path leads: the folders above it and the name in the last of them, "" for one that needs none; the inode where there is one. */
interface Found {
  readonly above: readonly Inode[];
  readonly name: string;
  readonly inode: Inode | undefined;
}

let descriptors = FIRST_DESCRIPTOR;

/** Mounts a new disk at the folder, which is an absolute path that the machine does not have. Returns what ends that. */
export function mountMemoryDisk(folder: string): () => void {
  const disk = new MemoryDisk(folder);
  return mountDisk({ folder, disk: disk as unknown as Disk, has: (descriptor) => disk.has(descriptor) });
}

/** Each function does as Node's of the same name does. */
export class MemoryDisk {
  readonly #top: Inode;
  readonly #opened = new Map<number, Opened>();
  #inodes = 0;
  #temporary = 0;

  constructor(private readonly folder: string) {
    this.#top = this.#make(constants.S_IFDIR | 0o755, { entries: new Map() });
  }

  has(descriptor: number): boolean {
    return this.#opened.has(descriptor);
  }

  openSync(path: string, flags: number | string = constants.O_RDONLY, mode = 0o666): number {
    const bits = flags === "r" ? constants.O_RDONLY : Number(flags);
    const isPath = (bits & O_PATH) !== 0;
    // A new file must not exist, not even as a link.
    const found = this.#find(path, "open", (bits & (constants.O_NOFOLLOW | constants.O_EXCL)) === 0);
    let { inode } = found;
    if (inode !== undefined && (bits & constants.O_EXCL) !== 0) throw failure("EEXIST", "open", path);
    if (inode?.target !== undefined && !isPath) throw failure("ELOOP", "open", path);
    if (inode === undefined) {
      if ((bits & constants.O_CREAT) === 0) throw failure("ENOENT", "open", path);
      inode = this.#make(constants.S_IFREG | (mode & ~UMASK));
      this.#put(found, inode, "open", path);
    }
    const writes = (bits & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
    if (inode.entries !== undefined && writes) throw failure("EISDIR", "open", path);
    if ((bits & constants.O_TRUNC) !== 0) inode.data = Buffer.alloc(0);
    const descriptor = descriptors++;
    this.#opened.set(descriptor, { inode, above: found.above, flags: bits, position: 0 });
    return descriptor;
  }

  closeSync(descriptor: number): void {
    this.#open(descriptor, "close");
    this.#opened.delete(descriptor);
  }

  fstatSync(descriptor: number): Stats {
    return statsOf(this.#open(descriptor, "fstat").inode);
  }

  lstatSync(path: string, options?: { readonly throwIfNoEntry?: boolean }): Stats | undefined {
    return this.#stat(path, false, options);
  }

  statSync(path: string, options?: { readonly throwIfNoEntry?: boolean }): Stats | undefined {
    return this.#stat(path, true, options);
  }

  mkdirSync(
    path: string,
    given?: number | { readonly recursive?: boolean; readonly mode?: number },
  ): string | undefined {
    const { recursive = false, mode = 0o777 } = typeof given === "number" ? { mode: given } : (given ?? {});
    if (recursive) {
      const found = this.#stat(path, true, { throwIfNoEntry: false });
      if (found?.isDirectory()) return undefined;
      if (found !== undefined) throw failure("EEXIST", "mkdir", path);
      // A link that leads nowhere: Node answers as to its target.
      if (this.#lookFor(path, "mkdir", false)?.inode !== undefined) throw failure("ENOENT", "mkdir", path);
      const first = path === this.folder ? undefined : this.mkdirSync(parentOf(path), given);
      this.mkdirSync(path, { mode });
      return first ?? path;
    }
    const found = this.#find(path, "mkdir", false);
    if (found.inode !== undefined) throw failure("EEXIST", "mkdir", path);
    this.#put(found, this.#make(constants.S_IFDIR | (mode & ~UMASK), { entries: new Map() }), "mkdir", path);
    return undefined;
  }

  mkdtempSync(prefix: string): string {
    const path = `${prefix}${String(this.#temporary++).padStart(6, "0")}`;
    this.mkdirSync(path, { mode: 0o700 });
    return path;
  }

  readFileSync(place: number | string, options?: string | { readonly encoding?: string | null }): Buffer | string {
    const encoding = typeof options === "string" ? options : options?.encoding;
    const data = this.#dataOf(place);
    return encoding === undefined || encoding === null ? data : data.toString(encoding as BufferEncoding);
  }

  writeFileSync(place: number | string, given: string | Uint8Array): void {
    const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;
    const descriptor = typeof place === "number" ? place : this.openSync(place, O_WRONLY | O_CREAT | O_TRUNC);
    const opened = this.#open(descriptor, "write");
    const { inode } = opened;
    const data = Buffer.from(given as Uint8Array);
    const at = (opened.flags & O_APPEND) === 0 ? opened.position : inode.data.length;
    opened.position = at + data.length;
    inode.data = Buffer.concat([inode.data.subarray(0, at), data, inode.data.subarray(opened.position)]);
    if (typeof place === "string") this.closeSync(descriptor);
  }

  readSync(descriptor: number, buffer: Buffer, offset: number, length: number, position: number | null): number {
    const opened = this.#open(descriptor, "read");
    const { entries, data } = opened.inode;
    if (entries !== undefined) throw failure("EISDIR", "read");
    const at = position ?? opened.position;
    const read = data.copy(buffer, offset, at, at + length);
    if (position === null) opened.position += read;
    return read;
  }

  readdirSync(path: string, options?: { readonly withFileTypes?: boolean }): readonly (string | Dirent)[] {
    const { entries } = this.#there(path, "scandir", true);
    if (entries === undefined) throw failure("ENOTDIR", "scandir", path);
    if (options?.withFileTypes !== true) return [...entries.keys()];
    return [...entries].map(([name, inode]) => Object.assign(kindsOf(inode), { name, parentPath: path }) as Dirent);
  }

  readlinkSync(path: string): string {
    const { target } = this.#there(path, "readlink", false);
    if (target === undefined) throw failure("EINVAL", "readlink", path);
    return target;
  }

  realpathSync(path: string): string {
    const { above, inode } = this.#find(path, "realpath", true);
    if (inode === undefined) throw failure("ENOENT", "realpath", path);
    const names = [...above, inode].slice(1).map((one, index) => nameIn(above[index], one));
    return [this.folder, ...names].join("/");
  }

  renameSync(from: string, to: string): void {
    const source = this.#find(from, "rename", false);
    const target = this.#find(to, "rename", false);
    if (source.inode === undefined) throw failure("ENOENT", "rename", from);
    if (target.above.includes(source.inode)) throw failure("EINVAL", "rename", to);
    const { inode } = target;
    if (inode?.entries !== undefined && source.inode.entries === undefined) throw failure("EISDIR", "rename", to);
    if ((inode?.entries?.size ?? 0) > 0) throw failure("ENOTEMPTY", "rename", to);
    if (inode !== undefined && inode.entries === undefined && source.inode.entries !== undefined)
      throw failure("ENOTDIR", "rename", to);
    if (inode === source.inode) return;
    this.#take(source);
    this.#put(target, source.inode, "rename", to);
  }

  rmSync(
    path: string,
    { force = false, recursive = false }: { readonly force?: boolean; readonly recursive?: boolean } = {},
  ): void {
    const found = this.#lookFor(path, "rm", false);
    if (found?.inode === undefined) {
      if (!force) throw failure("ENOENT", "rm", path);
    } else if (found.inode.entries !== undefined && !recursive) throw failure("EISDIR", "rm", path);
    else this.#take(found);
  }

  rmdirSync(path: string): void {
    const found = this.#find(path, "rmdir", false);
    if (found.inode === undefined) throw failure("ENOENT", "rmdir", path);
    if (found.inode.entries === undefined) throw failure("ENOTDIR", "rmdir", path);
    if (found.inode.entries.size > 0) throw failure("ENOTEMPTY", "rmdir", path);
    this.#take(found);
  }

  unlinkSync(path: string): void {
    const found = this.#find(path, "unlink", false);
    if (found.inode === undefined) throw failure("ENOENT", "unlink", path);
    if (found.inode.entries !== undefined) throw failure("EISDIR", "unlink", path);
    this.#take(found);
  }

  symlinkSync(target: string, path: string): void {
    const found = this.#find(path, "symlink", false);
    if (found.inode !== undefined) throw failure("EEXIST", "symlink", path);
    this.#put(found, this.#make(constants.S_IFLNK | 0o777, { target }), "symlink", path);
  }

  chmodSync(path: string, mode: number): void {
    setMode(this.#there(path, "chmod", true), mode);
  }

  fchmodSync(descriptor: number, mode: number): void {
    setMode(this.#open(descriptor, "fchmod").inode, mode);
  }

  chownSync(path: string, uid: number, gid: number): void {
    setOwner(this.#there(path, "chown", true), uid, gid);
  }

  lchownSync(path: string, uid: number, gid: number): void {
    setOwner(this.#there(path, "lchown", false), uid, gid);
  }

  fchownSync(descriptor: number, uid: number, gid: number): void {
    setOwner(this.#open(descriptor, "fchown").inode, uid, gid);
  }

  #make(mode: number, more: Partial<Pick<Inode, "entries" | "target">> = {}): Inode {
    const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
    return { ino: ++this.#inodes, mode, uid, gid, data: Buffer.alloc(0), ...more };
  }

  #open(descriptor: number, call: string): Opened {
    const opened = this.#opened.get(descriptor);
    if (opened === undefined) throw failure("EBADF", call);
    return opened;
  }

  #dataOf(place: number | string): Buffer {
    if (typeof place === "string" && place.startsWith("/proc/self/fdinfo/")) return Buffer.from("mnt_id:\t1\n");
    const inode = typeof place === "number" ? this.#open(place, "read").inode : this.#there(place, "open", true);
    if (inode.entries !== undefined) throw failure("EISDIR", "read");
    return Buffer.from(inode.data);
  }

  #stat(path: string, follow: boolean, options: { readonly throwIfNoEntry?: boolean } = {}): Stats | undefined {
    const inode = this.#lookFor(path, follow ? "stat" : "lstat", follow)?.inode;
    if (inode !== undefined) return statsOf(inode);
    if (options.throwIfNoEntry === false) return undefined;
    throw failure("ENOENT", follow ? "stat" : "lstat", path);
  }

  #there(path: string, call: string, follow: boolean): Inode {
    const { inode } = this.#find(path, call, follow);
    if (inode === undefined) throw failure("ENOENT", call, path);
    return inode;
  }

  /** Undefined where a folder on the way is not there. */
  #lookFor(path: string, call: string, follow: boolean): Found | undefined {
    try {
      return this.#find(path, call, follow);
    } catch (error) {
      if ((error as { readonly code?: string }).code === "ENOENT") return undefined;
      throw error;
    }
  }

  #find(path: string, call: string, follow: boolean): Found {
    const [, descriptor, below = ""] = /^\/proc\/self\/fd\/(\d+)(.*)$/.exec(path) ?? [];
    const from: Pick<Opened, "inode" | "above"> =
      descriptor === undefined ? { inode: this.#top, above: [] } : this.#open(Number(descriptor), call);
    const names = (descriptor === undefined ? path.slice(this.folder.length) : below).split("/").filter(Boolean);
    let links = 0;
    let above = [...from.above];
    let found: Found = { above, name: "", inode: from.inode };
    while (names.length > 0) {
      const name = names.shift() as string;
      const here = found.inode;
      if (here === undefined) throw failure("ENOENT", call, path);
      if (here.entries === undefined) throw failure("ENOTDIR", call, path);
      if (name === ".") continue;
      if (name === "..") {
        const parent = above.pop() ?? this.#top;
        found = { above: [...above], name: "", inode: parent };
        continue;
      }
      above = [...found.above, here];
      const inode = here.entries.get(name);
      if (inode?.target === undefined || (names.length === 0 && !follow)) {
        found = { above, name, inode };
        continue;
      }
      links += 1;
      if (links > MAX_LINKS) throw failure("ELOOP", call, path);
      const { target } = inode;
      if (target.startsWith("/")) {
        if (!target.startsWith(`${this.folder}/`)) throw failure("ENOENT", call, path);
        found = { above: [], name: "", inode: this.#top };
        names.unshift(...target.slice(this.folder.length).split("/").filter(Boolean));
      } else {
        found = { above: above.slice(0, -1), name: "", inode: here };
        names.unshift(...target.split("/").filter(Boolean));
      }
      above = [...found.above];
    }
    return found;
  }

  #put({ above, name }: Found, inode: Inode, call: string, path: string): void {
    const entries = above.at(-1)?.entries;
    if (entries === undefined) throw failure("ENOENT", call, path);
    entries.set(name, inode);
  }

  #take({ above, name }: Found): void {
    above.at(-1)?.entries?.delete(name);
  }
}

function parentOf(path: string): string {
  return path.replace(/\/+[^/]*\/*$/, "");
}
