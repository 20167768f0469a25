/** The machine that the agent runs on, as plugins may use it. */
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import os from "node:os";
import { type Clock, unless } from "@hooklet/utils";
import { killCgroup } from "./cgroups/remove-cgroup.js";
import { createDiskUsage } from "./files/disk-usage.js";
import { createStatfs } from "./files/statfs.js";
import type { Host } from "./host.js";
import { kernelFiles } from "./kernel/kernel-files.js";
import { readKernelLog } from "./kernel/kernel-log.js";
import { readAll } from "./kernel/kernel-reader.js";
import { HelperPool } from "./processes/helper-pool.js";
import { identify } from "./processes/process-identity.js";
import { Signals } from "./processes/signals.js";

export function nodeHost(clock: Clock): Host {
  const pageSize = readPageSize();
  const signals = new Signals(clock);
  return {
    kernel: kernelFiles,
    statfs: createStatfs(clock),
    diskUsage: createDiskUsage(clock),
    killCgroup: (folders) =>
      killCgroup(kernelFiles, folders, {
        identify,
        kill: (target) => signals.send(target, os.constants.signals.SIGKILL),
      }),
    apart: ({ module }) => {
      const pool = new HelperPool({ clock, module });
      return {
        call: (operation, input, { path, together }) => pool.call(operation, input, path, together),
        close: () => pool.close(),
      };
    },
    kernelLog: () => readKernelLog(),
    textFile,
    pageSize,
    get cpus() {
      return Math.max(1, os.cpus().length);
    },
  };
}

/** At once: such files lie in memory mostly, and another thread would cost more than reading them. */
function textFile(path: string): string {
  return unless(["ENOENT"], "", () => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readAll(file, path);
    } finally {
      closeSync(file);
    }
  });
}

const AT_PAGESZ = 6n;
/** Of nearly every machine; where no auxv is (not Linux), plugins of cgroups do not run either. */
const USUAL_PAGE_SIZE = 4096;

/** From the auxiliary vector of a process: pairs of machine words. */
function readPageSize(): number {
  if (!process.arch.endsWith("64")) return USUAL_PAGE_SIZE;
  let words: Buffer;
  try {
    words = readFileSync("/proc/self/auxv");
  } catch {
    return USUAL_PAGE_SIZE;
  }
  const word = os.endianness() === "LE" ? words.readBigUInt64LE.bind(words) : words.readBigUInt64BE.bind(words);
  for (let at = 0; at + 16 <= words.length; at += 16) if (word(at) === AT_PAGESZ) return Number(word(at + 8));
  return USUAL_PAGE_SIZE;
}
