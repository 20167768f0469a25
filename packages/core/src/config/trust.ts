/**
 * Who else could change a file that a root daemon is about to run? Checked as sshd checks authorized_keys: the file,
 * and each folder above it, must belong to root or to the user hooklet runs as, and must not be writable by group or
 * others.
 *
 * - Symbolic links are resolved first. The folder that holds the link is checked as well: who can write there can
 *   point it elsewhere.
 * - A world-writable folder with the sticky bit (/tmp) is accepted higher up, where the bit keeps others from
 *   replacing the root-owned folder in it. It is refused as the folder of the file itself.
 * - Under sudo, the user who called it counts as an owner: that person has root already.
 * - POSIX ACLs need no look of their own: the group bits of the mode are their mask.
 */
import { realpathSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { type Path, type ValueFault, wordFault } from "./faults.js";

export interface TrustOptions {
  /** Effective user id; nothing is checked unless it is 0. */
  readonly uid: number;
  /** The user who called sudo. */
  readonly sudoUid?: number;
  /** For tests. */
  readonly stat?: (path: string) => Pick<Stats, "uid" | "mode">;
  readonly realpath?: (path: string) => string;
}

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/** What makes `file` unfit to be run as root, or undefined. `path` is where the configuration names it. */
export function untrusted(file: string, path: Path, options: TrustOptions): ValueFault | undefined {
  if (options.uid !== 0) return undefined;
  const { stat = statSync, realpath = realpathSync } = options;
  const owners = [0, ...(options.sudoUid === undefined ? [] : [options.sudoUid])];
  const real = realpath(file);
  const linkFolder = realpath(dirname(file));
  const checks = [...chain(real), ...chain(`${linkFolder}/.`)];

  for (const { target, depth } of checks) {
    const { uid, mode } = stat(target);
    if (!owners.includes(uid)) {
      return wordFault(
        path,
        `${describe(target, file)} to belong to root`,
        `owner ${uid} (mend it with: chown root ${quote(target)})`,
      );
    }
    const accepted = depth > 1 && (mode & STICKY) !== 0;
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

/** The file (depth 0), its folder (1) and all folders above. */
function chain(file: string): readonly { target: string; depth: number }[] {
  const targets = [];
  let target = file;
  for (let depth = 0; ; depth++) {
    if (!target.endsWith("/.")) targets.push({ target, depth });
    const parent = dirname(target);
    if (parent === target) return targets;
    target = parent;
  }
}

function describe(target: string, file: string): string {
  return target === file ? target : `${target}, on the way to ${file},`;
}

function quote(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
