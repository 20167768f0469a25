/** The real files of procfs, sysfs and cgroupfs. */
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
import type { KernelFiles } from "../plugin/contract/host.js";

const { O_RDONLY, O_WRONLY, O_CLOEXEC = 0 } = constants as typeof constants & { readonly O_CLOEXEC?: number };

export const MAX_KERNEL_FILE_BYTES = 16 * 1024 * 1024;

/** Shared: reads are synchronous, so nobody else has it meanwhile. memory.stat takes about 2 KiB. */
const room = Buffer.allocUnsafe(64 * 1024);

/** What says that a cgroup, or the process in it, went away. */
const GONE = ["ENOENT", "ENODEV", "ENOTDIR", "ESRCH"];

export const kernelFiles: KernelFiles = {
  read: (path) =>
    unless(GONE, undefined, () => {
      const file = openSync(path, O_RDONLY | O_CLOEXEC);
      try {
        return readAll(file, path);
      } finally {
        closeSync(file);
      }
    }),

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

  makeDirectory: (path) =>
    unless(["EEXIST"], false, () => {
      mkdirSync(path, { mode: 0o755 });
      return true;
    }),

  removeDirectory: (path) =>
    unless(["EBUSY", "ENOTEMPTY"], false, () =>
      unless(GONE, true, () => {
        rmdirSync(path);
        return true;
      }),
    ),

  directories: (path) =>
    unless(GONE, [], () =>
      readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])),
    ),

  entries: (path) => unless(GONE, [], () => readdirSync(path)),

  changedAt: (path) => unless(GONE, undefined, () => statSync(path, { throwIfNoEntry: false })?.ctimeMs),
};

/** Until the kernel says that it was all: a file of many records, such as mountinfo, comes a page at a time. */
function readAll(file: number, path: string): string {
  let filled = 0;
  const parts: Buffer[] = [];
  let all = 0;
  for (;;) {
    const length = readSync(file, room, filled, room.length - filled, null);
    all += length;
    filled += length;
    if (length === 0) break;
    if (all > MAX_KERNEL_FILE_BYTES) throw tooLarge(path);
    if (filled < room.length) continue;
    parts.push(Buffer.from(room));
    filled = 0;
  }
  // The common file is one piece, decoded from where it lies.
  if (parts.length === 0) return room.toString("utf8", 0, filled);
  return Buffer.concat([...parts, room.subarray(0, filled)]).toString("utf8");
}

function tooLarge(path: string): Error {
  const text = `${path} has more than ${MAX_KERNEL_FILE_BYTES} bytes; expected a small file of the kernel`;
  return Object.assign(new Error(text), { code: "EFBIG" });
}

function unless<T, U>(codes: readonly string[], otherwise: U, work: () => T): T | U {
  try {
    return work();
  } catch (error) {
    if (hasCode(error, codes)) return otherwise;
    throw error;
  }
}

/** Whether a system call failed with one of these: `EBUSY`. */
export function hasCode(error: unknown, codes: readonly string[]): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" && codes.includes(code);
}
