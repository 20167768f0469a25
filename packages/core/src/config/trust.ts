/**
 * Who else could change a file that a root daemon is about to run? Checked as sshd checks authorized_keys: the file,
 * and each folder above it, must belong to root or to the user hooklet runs as, and must not be writable by group or
 * others.
 *
 * - Symbolic links are followed one by one, and each is checked with the folders above it: who can write there can
 *   point it elsewhere.
 * - A world-writable folder with the sticky bit (/tmp) is accepted higher up, where the bit keeps others from
 *   replacing the root-owned folder in it. It is refused as the folder of the file itself.
 * - Under sudo, the user who called it counts as an owner: that person has root already.
 * - POSIX ACLs need no look of their own: the group bits of the mode are their mask.
 */
import { constants, lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { type Path, type ValueFault, wordFault } from "../faults/faults.js";

export interface TrustOptions {
  /** Effective user id; nothing is checked unless it is 0. */
  readonly uid: number;
  /** The user who called sudo. */
  readonly sudoUid?: number;
  /** For tests. */
  readonly lstat?: (path: string) => Pick<Stats, "uid" | "mode">;
  readonly readlink?: (path: string) => string;
}

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const MAX_LINKS = 40;

/** What makes `file` unfit to be run as root, or undefined. `path` is where the configuration names it. */
export function untrusted(file: string, path: Path, options: TrustOptions): ValueFault | undefined {
  if (options.uid !== 0) return undefined;
  const { lstat = lstatSync } = options;
  const owners = [0, ...(options.sudoUid === undefined ? [] : [options.sudoUid])];
  const passed = way(file, options);
  /** Whatever lies in these is run: a folder that all can write is none of them, sticky or not. */
  const holders = passed.filter(({ isLast }) => isLast).map(({ target }) => dirname(target));

  for (const { target, isLink } of passed.toReversed()) {
    const { uid, mode } = lstat(target);
    if (!owners.includes(uid)) {
      return wordFault(
        path,
        `${describe(target, file)} to belong to root`,
        `owner ${uid} (mend it with: chown ${isLink ? "-h " : ""}root ${quote(target)})`,
      );
    }
    const accepted = isLink || (!holders.includes(target) && (mode & STICKY) !== 0);
    if ((mode & WRITABLE_BY_OTHERS) !== 0 && !accepted) {
      return wordFault(
        path,
        `${describe(target, file)} to be writable by its owner only, for it is run as root`,
        `mode ${(mode & 0o7777).toString(8).padStart(4, "0")} (mend it with: chmod go-w ${quote(target)})`,
      );
    }
  }
  return undefined;
}

interface Passed {
  readonly target: string;
  readonly isLink: boolean;
  /** The file, or a link that stands for it. */
  readonly isLast: boolean;
}

/** Every folder and link that the system passes on its way to the file, and the file. */
function way(file: string, { lstat = lstatSync, readlink = readlinkSync }: TrustOptions): readonly Passed[] {
  const passed: Passed[] = [{ target: "/", isLink: false, isLast: false }];
  let rest = file.split("/");
  let folder = "/";
  for (let links = 0; rest.length > 0; ) {
    const [name = "", ...after] = rest;
    rest = after;
    const target = join(folder, name);
    if (target !== folder && name !== "..") {
      const isLink = (lstat(target).mode & constants.S_IFMT) === constants.S_IFLNK;
      passed.push({ target, isLink, isLast: after.every((part) => part === "") });
      if (isLink) {
        if (++links > MAX_LINKS) throw new Error(`more than ${MAX_LINKS} symbolic links on the way to ${file}`);
        const to = readlink(target);
        rest = [...to.split("/"), ...after];
        if (to.startsWith("/")) folder = "/";
        continue;
      }
    }
    folder = target;
  }
  return passed;
}

function describe(target: string, file: string): string {
  return target === file ? target : `${target}, on the way to ${file},`;
}

function quote(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
