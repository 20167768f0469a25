/** The real cgroup files. */
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  promises,
  readdirSync,
  readSync,
  rmdirSync,
  statSync,
  writeSync,
} from "node:fs";
import type { CgroupFiles } from "./port.js";

const { O_RDONLY, O_WRONLY, O_CLOEXEC = 0 } = constants as typeof constants & { readonly O_CLOEXEC?: number };

/** Shared: reads are synchronous, so nobody else has it meanwhile. memory.stat takes about 2 KiB. */
const room = Buffer.allocUnsafe(64 * 1024);

/** What says that a cgroup, or the process in it, went away. */
const GONE = ["ENOENT", "ENODEV", "ENOTDIR", "ESRCH"];

export const nodeFiles: CgroupFiles = {
  read(path) {
    try {
      const file = openSync(path, O_RDONLY | O_CLOEXEC);
      try {
        return readAll(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      if (hasCode(error, GONE)) return undefined;
      throw error;
    }
  },

  write(path, value) {
    const file = openSync(path, O_WRONLY | O_CLOEXEC);
    try {
      writeSync(file, value);
    } finally {
      closeSync(file);
    }
  },

  async writeSlowly(path, value) {
    await promises.writeFile(path, value, { flag: O_WRONLY });
  },

  makeDirectory(path) {
    try {
      mkdirSync(path, { mode: 0o755 });
      return true;
    } catch (error) {
      if (hasCode(error, ["EEXIST"])) return false;
      throw error;
    }
  },

  removeDirectory(path) {
    try {
      rmdirSync(path);
      return true;
    } catch (error) {
      if (hasCode(error, GONE)) return true;
      if (hasCode(error, ["EBUSY", "ENOTEMPTY"])) return false;
      throw error;
    }
  },

  directories(path) {
    try {
      return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
    } catch (error) {
      if (hasCode(error, GONE)) return [];
      throw error;
    }
  },

  changedAt(path) {
    return statSync(path, { throwIfNoEntry: false })?.ctimeMs;
  },

  kill(pid) {
    try {
      process.kill(pid, "SIGKILL");
      return true;
    } catch (error) {
      if (hasCode(error, ["ESRCH"])) return false;
      throw error;
    }
  },
};

function readAll(file: number): string {
  let text = "";
  for (;;) {
    const length = readSync(file, room, 0, room.length, null);
    if (length === 0) return text;
    text += room.toString("latin1", 0, length);
    // The kernel gives short reads of these files only at their end.
    if (length < room.length) return text;
  }
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  const code = errnoOf(error);
  return code !== undefined && codes.includes(code);
}

/** The errno of a failed file operation, for example `EBUSY`. */
export function errnoOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
