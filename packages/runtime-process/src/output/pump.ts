/**
 * Copies a container's output to its log, in the CRI format. The container writes to a plain file of the runtime, so that it continues with or
 * without an agent; copied output is freed with a hole in that file, since a writer's position cannot be moved back.
 */

import { closeSync, constants, fstatSync, lstatSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { errno } from "@hooklet/core/subsystem";
import { allowing, isMissing, unlessMissing } from "../state-text.js";
import {
  appendWhole,
  BLOCK,
  behindHole,
  openLog,
  type Position,
  readPosition,
  withoutRepeat,
  writePosition,
} from "./log-file.js";
import { criRecords, rfc3339Nano } from "./records.js";

// How much of a container's output is taken into its log.

const MEBIBYTE = 1024 * 1024;
/** Bytes that one take adds to the log. Records are longer than their lines: the one of an empty line fifty times. */
const TAKE = MEBIBYTE;

/** Of more than `most` bytes that wait only the last `kept` are taken. */
interface Limit {
  readonly most: number;
  readonly kept: number;
  readonly why: string;
}

/** Rotation would throw it away in a moment. */
const WAITING: Limit = {
  most: 64 * MEBIBYTE,
  kept: 16 * MEBIBYTE,
  why: `more than ${64 * MEBIBYTE} bytes waited to be taken into the log`,
};

/** A container's end waits for its output: so much may go into the log before only one take more does. */
const MAX_AT_END = 128 * MEBIBYTE;
const AT_END: Limit = {
  most: TAKE,
  kept: TAKE,
  why: `more than ${MAX_AT_END} bytes went into the log at the container's end`,
};

const CHUNK = 64 * 1024;
/** How much was taken since the last hole when the next is made. */
const HOLE = 4 * 1024 * 1024;

export interface PumpFiles {
  /** What the container writes to. */
  readonly output: string;
  readonly position: string;
  /** The log, below folders that others may have changed: no link is followed. */
  readonly log: string;
}

/**
 * Frees the first `length` bytes of a file and leaves its size; undefined where the machine has no way to. False: it does not work for this
 * file and need not be tried again. Never rejects.
 */
export type FreeBytes = ((file: string, length: number) => Promise<boolean>) | undefined;

interface Work {
  /** Size of the output. */
  readonly size: number;
  readonly time: string;
  readonly atEnd: boolean;
  readonly limit: Limit;
}

interface Taken {
  /** There is more that can be taken. */
  readonly more: boolean;
  /** Bytes appended to the log. */
  readonly logged: number;
}

const NOTHING: Taken = { more: false, logged: 0 };

export class OutputPump {
  #position: Position | undefined;
  #freed = 0;
  /** Bytes that were left out and that the log does not mention yet. */
  #leftOut = 0;
  #free: FreeBytes;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly files: PumpFiles,
    free: FreeBytes,
  ) {
    this.#free = free;
  }

  /**
   * Copies what is there now, at most about a mebibyte; true when more is left. One at a time; rejects with nothing lost when the log
   * cannot be written.
   */
  take(): Promise<boolean> {
    return this.#queue(async () => (await this.#take(false, WAITING)).more);
  }

  /**
   * The container has ended: takes the rest, a line without an end too. The output goes only when all of it was taken: it rejects when
   * the log cannot be written, and may be called again.
   */
  finish(): Promise<void> {
    return this.#queue(async () => {
      let logged = 0;
      for (let more = true; more; ) {
        const done = await this.#take(true, logged > MAX_AT_END ? AT_END : WAITING);
        logged += done.logged;
        more = done.more;
      }
      await unlessMissing(allowing(NO_FILE, unlink(this.files.output)));
    });
  }

  /** Resolves when nothing that was requested before is under way any more. */
  async idle(): Promise<void> {
    await this.#last;
  }

  /** The log was renamed: the next one exists when this resolves. */
  reopen(): Promise<void> {
    return this.#queue(async () => closeSync(openLog(this.files.log)));
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #take(atEnd: boolean, limit: Limit): Promise<Taken> {
    if (!atEnd && this.#isTaken()) return NOTHING;
    const output = await openOutput(this.files.output);
    if (output === undefined) return NOTHING;
    let done: Taken;
    try {
      const stat = await output.stat({ bigint: true });
      if (!stat.isFile()) return NOTHING;
      const size = Number(stat.size);
      let position = this.#position ?? (await readPosition(this.files.position));
      if (position.logInode === "") position = { ...position, taken: await behindHole(output, stat) };
      // Programs that open /dev/stdout again may truncate it.
      if (size < position.taken) position = { ...position, taken: 0 };
      this.#position = position;
      if (size === position.taken) return NOTHING;
      const log = openLog(this.files.log);
      try {
        done = await this.#copy(output, log, position, { size, time: rfc3339Nano(stat.mtimeNs), atEnd, limit });
      } finally {
        closeSync(log);
      }
    } finally {
      await output.close();
    }
    // At its end the output goes as a whole.
    if (!atEnd) await this.#makeHole();
    return done;
  }

  /** All that the container wrote: what is called for each of many quiet containers has to be cheap. */
  #isTaken(): boolean {
    const size = lstatSync(this.files.output, { throwIfNoEntry: false })?.size;
    return size !== undefined && size === this.#position?.taken;
  }

  async #copy(output: FileHandle, log: number, position: Position, { size, time, atEnd, limit }: Work): Promise<Taken> {
    const logInode = String(fstatSync(log, { bigint: true }).ino);
    const sizeBefore = withoutRepeat(log, this.files.log, position);
    let { taken } = position;
    let logSize = sizeBefore;
    const append = async (bytes: Buffer): Promise<void> => {
      await appendWhole(log, bytes, logSize);
      logSize += bytes.length;
    };
    const note = (): void => {
      this.#position = { taken, logInode, logSize };
      writePosition(this.files.position, this.#position);
    };
    // Before anything is appended: otherwise output of an agent that dies before its next note would not be recognized.
    if (position.logInode !== logInode || position.logSize !== logSize) note();
    if (size - taken > limit.most) {
      this.#leftOut += size - limit.kept - taken;
      taken = size - limit.kept;
    }
    if (this.#leftOut > 0) {
      const reported = `hooklet: ${this.#leftOut} bytes of output are left out here: ${limit.why}`;
      try {
        await append(Buffer.from(`${time} stderr F ${reported}\n`));
      } catch (error) {
        // It may be this output that fills the disk.
        note();
        await this.#makeHole();
        throw error;
      }
      this.#leftOut = 0;
      note();
    }
    while (taken < size && logSize - sizeBefore < TAKE) {
      const wanted = Math.min(CHUNK, size - taken);
      const { buffer, bytesRead } = await output.read(Buffer.allocUnsafe(wanted), 0, wanted, taken);
      const last = taken + bytesRead >= size;
      const { bytes, consumed } = criRecords(buffer.subarray(0, bytesRead), time, atEnd && last);
      if (consumed === 0) return { more: false, logged: logSize - sizeBefore };
      await append(bytes);
      taken += consumed;
      note();
    }
    return { more: taken < size, logged: logSize - sizeBefore };
  }

  async #makeHole(): Promise<void> {
    const taken = this.#position?.taken ?? 0;
    // It was truncated: the current content was never freed.
    if (taken < this.#freed) this.#freed = 0;
    if (this.#free === undefined || taken - this.#freed < HOLE) return;
    this.#freed = taken;
    if (!(await this.#free(this.files.output, taken - (taken % BLOCK)))) this.#free = undefined;
  }
}

/** What opening or removing it says where something else lies in a file's place: a link, a socket, a folder. */
const NO_FILE = ["ELOOP", "ENXIO", "EISDIR", "EPERM"];

/** Undefined where it is not there, or is damaged: then there is no output to take. */
async function openOutput(file: string): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (isMissing(error) || NO_FILE.includes(errno(error) ?? "")) return undefined;
    throw error;
  }
}
