/** The kernel's log, as /dev/kmsg has it. */
import { closeSync, constants, openSync, readSync } from "node:fs";
import { errno, unless } from "@hooklet/utils";
import type { KernelLogRecord } from "../host.js";
import { GONE } from "./kernel-reader.js";

const { O_RDONLY, O_NONBLOCK, O_CLOEXEC = 0 } = constants as typeof constants & { readonly O_CLOEXEC?: number };

/** The longest record there is. */
const RECORD_BYTES = 8192;
/** More than the largest buffer that kernels are built with holds. */
const MAX_RECORDS = 262_144;
/** Of each facility. */
const PRIORITIES = 8;
const MAY_NOT = ["EPERM", "EACCES", ...GONE];

/** Undefined where it may not be read, or is not there. */
export function readKernelLog(path = "/dev/kmsg"): readonly KernelLogRecord[] | undefined {
  return unless(MAY_NOT, undefined, () => {
    const file = openSync(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    try {
      return records(file);
    } finally {
      closeSync(file);
    }
  });
}

function records(file: number): KernelLogRecord[] {
  const buffer = Buffer.alloc(RECORD_BYTES);
  const all: KernelLogRecord[] = [];
  for (let reads = 0; reads < MAX_RECORDS; reads++) {
    const length = readOne(file, buffer);
    if (length === 0) break;
    const record = length === undefined ? undefined : parseKernelRecord(buffer.toString("utf8", 0, length));
    if (record !== undefined) all.push(record);
  }
  return all;
}

/** 0 at the end; undefined for a record that was overwritten while it was read. */
function readOne(file: number, buffer: Buffer): number | undefined {
  try {
    return readSync(file, buffer, 0, buffer.length, null);
  } catch (error) {
    const code = errno(error);
    if (code === "EAGAIN") return 0;
    if (code === "EPIPE") return undefined;
    throw error;
  }
}

/**
 * `facility and priority,sequence,microseconds,flags;text`; lines after the first are the record's dictionary. Undefined for what
 * processes wrote to /dev/kmsg: they cannot write as the kernel (facility 0), but may say what only the kernel can know.
 */
export function parseKernelRecord(line: string): KernelLogRecord | undefined {
  const [, level, sequence, at, text] = /^(\d+),(\d+),(\d+),[^;]*;(.*)/.exec(line) ?? [];
  if (text === undefined || Number(level) >= PRIORITIES) return undefined;
  return { sequence: Number(sequence), at: Number(at), text };
}
