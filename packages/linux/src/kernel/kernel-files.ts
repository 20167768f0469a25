/** The real files of procfs, sysfs and cgroupfs. */
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  promises,
  readdirSync,
  rmdirSync,
  statSync,
  writeSync,
} from "node:fs";
import { unless } from "@hooklet/utils";
import type { KernelFiles } from "../host.js";
import { createReader, GONE, readAll } from "./kernel-reader.js";

const { O_RDONLY, O_WRONLY, O_CLOEXEC = 0 } = constants as typeof constants & { readonly O_CLOEXEC?: number };

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

  reader: (limit) => createReader(limit),

  changedAt: (path) => unless(GONE, undefined, () => statSync(path, { throwIfNoEntry: false })?.ctimeMs),
};
