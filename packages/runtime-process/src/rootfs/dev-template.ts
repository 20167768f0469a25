/** The lower layer of every container's /dev: places to mount on, made once. */
import { chmodSync, closeSync, mkdirSync, openSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { errno } from "@hooklet/core";

/** The machine's harmless devices. */
export const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"] as const;
const FOLDERS = ["pts", "mqueue", "shm"] as const;

const LINKS = { fd: "/proc/self/fd", stdin: "fd/0", stdout: "fd/1", stderr: "fd/2" };

/** May be called again on a folder that is there and in use. */
export function makeDevTemplate(folder: string): void {
  // A container's /dev looks like it, and every user has to come in.
  chmodSync(folder, 0o755);
  for (const name of FOLDERS) unlessThere(() => mkdirSync(join(folder, name), { mode: 0o755 }));
  // Nearly every pod mounts its termination log here.
  for (const name of [...DEVICES, "ptmx", "termination-log"]) {
    unlessThere(() => closeSync(openSync(join(folder, name), "wx", 0o666)));
  }
  for (const [name, target] of Object.entries(LINKS)) unlessThere(() => symlinkSync(target, join(folder, name)));
}

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (errno(error) !== "EEXIST") throw error;
  }
}
