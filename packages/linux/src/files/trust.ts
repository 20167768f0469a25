/**
 * Checks which other users could change what a root daemon is about to run, or its state. As sshd checks authorized_keys: the file,
 * and each folder above it, must belong to root or to the user hooklet runs as, and must not be writable by group or others.
 *
 * - Symbolic links are followed one by one, and each is checked with the folders above it: a user who can write there can
 *   point it elsewhere.
 * - A world-writable folder with the sticky bit (/tmp) is accepted higher up, where the bit keeps others from
 *   replacing the root-owned folder in it. It is refused as the folder of the file itself.
 * - The user who called sudo counts as an owner where that is enabled.
 * - POSIX ACLs need no separate check: the group bits of the mode are their mask.
 *
 * The advice never changes what belongs to others: a shared folder stays as it is, the file moves.
 */
import { constants, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { unless } from "@hooklet/utils";
import { disk } from "./disk.js";

export interface TrustOptions {
  /** Effective user id. Code is checked for root alone; what was found in a folder, and state, for everybody. */
  readonly uid: number;
  /** The user who called sudo, where that user counts as root. */
  readonly sudoUid?: number;
  /** For tests. */
  readonly lstat?: (path: string) => Pick<Stats, "uid" | "mode">;
  readonly readlink?: (path: string) => string;
}

/** What is wrong with a file or folder. */
export interface TrustFault {
  readonly expected: string;
  /** With what to do. */
  readonly found: string;
}

const WRITABLE_BY_OTHERS = 0o022;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;
const MAX_LINKS = 40;

const MOVE = "move it to a directory that only root can write, such as /etc/hooklet";

/** What makes `file` unfit to be run as root, or undefined. */
export function untrusted(file: string, options: TrustOptions): TrustFault | undefined {
  if (options.uid !== 0) return undefined;
  const passed = way(file, options);
  /** Whatever lies in these is run: a folder that all can write is none of them, sticky or not. */
  const holders = passed.filter(({ isLast }) => isLast).map(({ target }) => dirname(target));
  const flaw = flawOn(passed, holders, options);
  if (flaw === undefined) return undefined;
  const { target, isLink } = flaw;
  const own = target === file && !isLink && flaw.mode !== undefined;
  return faultOf(file, flaw, own ? `fix it with: chmod go-w ${quote(target)}` : MOVE);
}

/** What makes a rc file that was only found, and not named, unfit to be run: it belongs to neither root nor the caller. */
export function foreign(file: string, options: TrustOptions): TrustFault | undefined {
  const { uid: own, lstat = disk.lstatSync } = options;
  if (own < 0) return undefined;
  for (const { target } of way(file, options).filter(({ isLast }) => isLast)) {
    const { uid } = lstat(target);
    if (ownersOf(options).includes(uid)) continue;
    const found = `owner ${uid} (name it with --config if you want it run)`;
    return { expected: `${describe(target, file)} to belong to root or to user ${own}`, found };
  }
  return undefined;
}

/**
 * What makes a folder unfit to keep what the agent believes: as root the folder and all above it, else the folder alone. What is not
 * there yet is the agent's to make. `instead`: what to do.
 */
export function untrustedFolder(folder: string, instead: string, options: TrustOptions): TrustFault | undefined {
  if (options.uid < 0) return undefined;
  return folderFault(folder, existing(folder, options), instead, options);
}

/** As `untrustedFolder`, of a folder that has to be there. @throws the system's error where it is not */
export function untrustedPresentFolder(folder: string, instead: string, options: TrustOptions): TrustFault | undefined {
  if (options.uid < 0) return undefined;
  return folderFault(folder, way(folder, options), instead, options);
}

function folderFault(
  folder: string,
  passed: readonly Passed[],
  instead: string,
  options: TrustOptions,
): TrustFault | undefined {
  if (options.uid === 0) {
    const flaw = flawOn(
      passed,
      [folder, ...passed.filter(({ isLast }) => isLast).map(({ target }) => target)],
      options,
    );
    return flaw && faultOf(folder, flaw, instead);
  }
  const { lstat = disk.lstatSync } = options;
  const last = passed.findLast(({ isLast, isLink }) => isLast && !isLink);
  if (last === undefined) return undefined;
  const { uid, mode } = lstat(last.target);
  // Many systems give each user a group alone, and let the group write.
  const isOpen = (mode & WRITABLE_BY_ALL) !== 0;
  if (ownersOf(options).includes(uid) && !isOpen) return undefined;
  return faultOf(folder, { target: last.target, isLink: false, uid, ...(isOpen && { mode }) }, instead);
}

/** `mode` undefined: it is the owner that is wrong. */
interface Flaw {
  readonly target: string;
  readonly isLink: boolean;
  readonly uid: number;
  readonly mode?: number;
}

/** The first flaw from the end of the way. `holders`: here no sticky bit helps. */
function flawOn(passed: readonly Passed[], holders: readonly string[], options: TrustOptions): Flaw | undefined {
  const { lstat = disk.lstatSync } = options;
  for (const { target, isLink } of passed.toReversed()) {
    const { uid, mode } = lstat(target);
    if (!ownersOf(options).includes(uid)) return { target, isLink, uid };
    const accepted = isLink || (!holders.includes(target) && (mode & STICKY) !== 0);
    if ((mode & WRITABLE_BY_OTHERS) !== 0 && !accepted) return { target, isLink, uid, mode };
  }
  return undefined;
}

function ownersOf({ uid, sudoUid }: TrustOptions): readonly number[] {
  return [0, uid, ...(sudoUid === undefined ? [] : [sudoUid])];
}

function faultOf(file: string, { target, uid, mode }: Flaw, instead: string): TrustFault {
  const where = describe(target, file);
  if (mode === undefined) return { expected: `${where} to belong to root`, found: `owner ${uid} (${instead})` };
  const octal = (mode & 0o7777).toString(8).padStart(4, "0");
  return { expected: `${where} to be writable by its owner only`, found: `mode ${octal} (${instead})` };
}

interface Passed {
  readonly target: string;
  readonly isLink: boolean;
  /** The file, or the link to it. */
  readonly isLast: boolean;
}

/** Every folder and link that the system passes on its way to the file, and the file. */
function way(file: string, options: TrustOptions): readonly Passed[] {
  const passed: Passed[] = [];
  for (const one of walk(file, options)) passed.push(one);
  return passed;
}

/** The path cannot exist: creating the folder reports the error. */
const NOT_THERE = ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP"];

/** The existing part of the path. */
function existing(file: string, options: TrustOptions): readonly Passed[] {
  const passed: Passed[] = [];
  unless(NOT_THERE, undefined, () => {
    for (const one of walk(file, options)) passed.push(one);
  });
  return passed;
}

function* walk(
  file: string,
  { lstat = disk.lstatSync, readlink = disk.readlinkSync }: TrustOptions,
): Generator<Passed> {
  yield { target: "/", isLink: false, isLast: false };
  let rest = file.split("/");
  let folder = "/";
  for (let links = 0; rest.length > 0; ) {
    const [name = "", ...after] = rest;
    rest = after;
    const target = join(folder, name);
    if (target !== folder && name !== "..") {
      const isLink = (lstat(target).mode & constants.S_IFMT) === constants.S_IFLNK;
      yield { target, isLink, isLast: after.every((part) => part === "") };
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
}

function describe(target: string, file: string): string {
  return target === file ? target : `${target}, on the way to ${file},`;
}

function quote(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
