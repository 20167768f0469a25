/** The inodes of a disk in memory: files, folders and links. */
import { constants, type Stats } from "node:fs";

const TEXTS: Readonly<Record<string, string>> = {
  EBADF: "bad file descriptor",
  EEXIST: "file already exists",
  EINVAL: "invalid argument",
  EISDIR: "illegal operation on a directory",
  ELOOP: "too many symbolic links encountered",
  ENOENT: "no such file or directory",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
};

export interface Inode {
  readonly ino: number;
  mode: number;
  uid: number;
  gid: number;
  data: Buffer;
  /** Of a folder. */
  readonly entries?: Map<string, Inode>;
  /** Of a link. */
  readonly target?: string;
}

export function nameIn(folder: Inode | undefined, inode: Inode): string {
  for (const [name, one] of folder?.entries ?? []) if (one === inode) return name;
  return "";
}

export function setMode(inode: Inode, mode: number): void {
  inode.mode = (inode.mode & constants.S_IFMT) | (mode & 0o7777);
}

/** -1 leaves it. */
export function setOwner(inode: Inode, uid: number, gid: number): void {
  if (uid !== -1) inode.uid = uid;
  if (gid !== -1) inode.gid = gid;
}

export function kindsOf({ entries, target }: Inode) {
  const no = (): boolean => false;
  return {
    isDirectory: () => entries !== undefined,
    isFile: () => entries === undefined && target === undefined,
    isSymbolicLink: () => target !== undefined,
    isBlockDevice: no,
    isCharacterDevice: no,
    isFIFO: no,
    isSocket: no,
  };
}

export function statsOf(inode: Inode): Stats {
  const { ino, mode, uid, gid, data } = inode;
  return { ...kindsOf(inode), dev: 1, ino, mode, nlink: 1, uid, gid, size: data.length } as Stats;
}

export function failure(code: string, call: string, path?: string): Error {
  const where = path === undefined ? "" : ` '${path}'`;
  return Object.assign(new Error(`${code}: ${TEXTS[code]}, ${call}${where}`), { code, syscall: call, path });
}
