/** The lower layer of every container's /dev: places to mount on, made once. */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readlinkSync, type Stats, symlinkSync } from "node:fs";
import { join } from "node:path";
import { errno } from "@hooklet/core/subsystem";
import { removeTree } from "@hooklet/linux";

/** The machine's harmless devices. */
export const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"] as const;
const FOLDERS = ["pts", "mqueue", "shm"] as const;

const LINKS = { fd: "/proc/self/fd", stdin: "fd/0", stdout: "fd/1", stderr: "fd/2" };

/** May be called again on an existing folder in use. Entries that differ from the template are removed and created again. */
export async function makeDevTemplate(folder: string): Promise<void> {
  // A container's /dev has its mode, and every user must be able to enter.
  chmodSync(folder, 0o755);
  for (const name of FOLDERS) {
    await made(
      join(folder, name),
      (found) => found.isDirectory(),
      (file) => mkdirSync(file, { mode: 0o755 }),
    );
  }
  // Nearly every pod mounts its termination log here.
  for (const name of [...DEVICES, "ptmx", "termination-log"]) {
    await made(
      join(folder, name),
      (found) => found.isFile(),
      (file) => closeSync(openSync(file, "wx", 0o666)),
    );
  }
  for (const [name, target] of Object.entries(LINKS)) {
    const isLink = (found: Stats, file: string): boolean => found.isSymbolicLink() && readlinkSync(file) === target;
    await made(join(folder, name), isLink, (file) => symlinkSync(target, file));
  }
}

async function made(
  file: string,
  isRight: (found: Stats, file: string) => boolean,
  make: (file: string) => void,
): Promise<void> {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found !== undefined && isRight(found, file)) return;
  if (found !== undefined) await removeTree(file);
  try {
    make(file);
  } catch (error) {
    // Another agent of this folder was faster.
    if (errno(error) !== "EEXIST") throw error;
  }
}
