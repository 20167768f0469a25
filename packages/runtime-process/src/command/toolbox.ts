/** The machine's own tools that containers are started with (util-linux 2.38 or newer, coreutils, perl, a POSIX sh). */
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "@hooklet/core/host";

const FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
const NAMES = ["sh", "setsid", "setpriv", "unshare", "nsenter", "mount", "umount", "env", "perl"] as const;

/** Only for terminals: without them there are none. */
const TERMINAL_NAMES = ["script", "stty", "tty"] as const;

export type TerminalTools = Readonly<Record<(typeof TERMINAL_NAMES)[number], string>>;

export type Toolbox = Readonly<Record<(typeof NAMES)[number], string>>;

/** Undefined where the machine lacks one of them. */
export function findTerminalTools(folders: readonly string[] = FOLDERS): TerminalTools | undefined {
  const found = Object.fromEntries(TERMINAL_NAMES.map((name) => [name, find(name, folders)]));
  return TERMINAL_NAMES.some((name) => found[name] === undefined) ? undefined : (found as TerminalTools);
}

/** Frees what was taken of a container's output; undefined where the machine has none: then it is freed at the container's end. */
export function findFallocate(folders: readonly string[] = FOLDERS): string | undefined {
  return find("fallocate", folders);
}

/** Pulls images; undefined where the machine has none: then images are imported. */
export function findSkopeo(folders: readonly string[] = FOLDERS): string | undefined {
  return find("skopeo", folders);
}

/** Throws `unavailable` naming all that are missing. */
export function findTools(folders: readonly string[] = FOLDERS): Toolbox {
  const found = Object.fromEntries(NAMES.map((name) => [name, find(name, folders)]));
  const missing = NAMES.filter((name) => found[name] === undefined);
  if (missing.length === 0) return found as Toolbox;
  throw new RuntimeError(
    "unavailable",
    `the process runtime needs ${missing.join(", ")} in one of ${folders.join(", ")}; install util-linux 2.38 or newer, coreutils and perl, or use another runtime`,
  );
}

function find(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
