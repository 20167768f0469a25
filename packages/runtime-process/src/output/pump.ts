/**
 * Takes what one container wrote into its log, in the CRI format. The container writes to a plain file of the runtime, so that it goes
 * on whether or not an agent is there; what was taken is freed with a hole in that file, for a writer's place cannot be moved back.
 */
import { closeSync, fstatSync, ftruncateSync, write } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { openForAppending, openLogFolder } from "@hooklet/core/host";
import { unlessMissing } from "../fs-errors.js";
import { type Position, readPosition, START, writePosition } from "./position.js";
import { criRecords, rfc3339Nano } from "./records.js";

const CHUNK = 64 * 1024;
/** More than this waiting is not taken, but for its end: rotation would throw it away in a moment. */
const MAX_WAITING = 64 * 1024 * 1024;
const KEPT_OF_IT = 16 * 1024 * 1024;
/** How much was taken since the last hole when the next is made. */
const HOLE = 4 * 1024 * 1024;
const BLOCK = 4096;

const writeTo = promisify(write);

export interface PumpFiles {
  /** What the container writes to. */
  readonly output: string;
  readonly position: string;
  /** The log, below folders that others may have changed: no link is followed. */
  readonly log: string;
}

/** Frees the first `length` bytes of a file and leaves its size; undefined where nothing on the machine can. */
export type FreeBytes = ((file: string, length: number) => Promise<void>) | undefined;

export class OutputPump {
  #position: Position | undefined;
  #freed = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(
    readonly files: PumpFiles,
    readonly free: FreeBytes,
  ) {}

  /** Takes what is there now. One at a time; rejects with nothing lost when the log cannot be written. */
  take(): Promise<void> {
    return this.#queue(() => this.#take(false));
  }

  /** The container has ended: takes the rest, a line without an end too. */
  finish(): Promise<void> {
    return this.#queue(async () => {
      await this.#take(true);
      await unlessMissing(unlink(this.files.output));
    });
  }

  /** The log was renamed: the next one is there when this resolves. */
  reopen(): Promise<void> {
    return this.#queue(async () => closeSync(this.#openLog()));
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #take(atEnd: boolean): Promise<void> {
    const output = await unlessMissing(open(this.files.output, "r"));
    if (output === undefined) return;
    try {
      const { size, mtimeNs } = await output.stat({ bigint: true });
      this.#position ??= await readPosition(this.files.position);
      // Programs that open /dev/stdout anew may cut it off.
      if (Number(size) < this.#position.taken) this.#position = { ...this.#position, taken: 0 };
      if (Number(size) === this.#position.taken) return;
      const log = this.#openLog();
      try {
        await this.#copy(output, log, { end: Number(size), time: rfc3339Nano(mtimeNs), atEnd });
      } finally {
        closeSync(log);
      }
    } finally {
      await output.close();
    }
    await this.#makeHole();
  }

  async #copy(
    output: FileHandle,
    log: number,
    { end, time, atEnd }: { readonly end: number; readonly time: string; readonly atEnd: boolean },
  ): Promise<void> {
    const size = this.#withoutRepeat(log);
    let { taken } = this.#position ?? START;
    let logSize = size;
    const { ino } = fstatSync(log, { bigint: true });
    const append = async (bytes: Buffer): Promise<void> => {
      await appendWhole(log, bytes, logSize);
      logSize += bytes.length;
    };
    if (end - taken > MAX_WAITING) {
      const left = end - KEPT_OF_IT - taken;
      const told = `hooklet: ${left} bytes of output are left out here: more than ${MAX_WAITING} waited to be taken into the log`;
      await append(Buffer.from(`${time} stderr F ${told}\n`));
      taken += left;
    }
    while (taken < end) {
      const { buffer, bytesRead } = await output.read(
        Buffer.allocUnsafe(CHUNK),
        0,
        Math.min(CHUNK, end - taken),
        taken,
      );
      if (bytesRead === 0) return;
      const last = taken + bytesRead >= end;
      const { bytes, consumed } = criRecords(buffer.subarray(0, bytesRead), time, atEnd && last);
      if (consumed === 0) return;
      await append(bytes);
      taken += consumed;
      this.#position = { taken, logInode: String(ino), logSize };
      writePosition(this.files.position, this.#position);
    }
  }

  /** What an agent appended that died before it had noted it is taken again: cut off. Returns the log's size. */
  #withoutRepeat(log: number): number {
    const { ino, size } = fstatSync(log, { bigint: true });
    const { logInode, logSize } = this.#position ?? START;
    if (String(ino) !== logInode || Number(size) <= logSize) return Number(size);
    ftruncateSync(log, logSize);
    return logSize;
  }

  #openLog(): number {
    const folder = openLogFolder(this.files.log);
    try {
      return openForAppending(folder, path.basename(this.files.log), 0o640);
    } finally {
      folder.close();
    }
  }

  async #makeHole(): Promise<void> {
    const taken = this.#position?.taken ?? 0;
    // It was cut off: what is there now was never freed.
    if (taken < this.#freed) this.#freed = 0;
    if (this.free === undefined || taken - this.#freed < HOLE) return;
    const length = taken - (taken % BLOCK);
    this.#freed = taken;
    await this.free(this.files.output, length);
  }
}

/** All or nothing: on a full disk the log is cut back to what it was. */
async function appendWhole(log: number, bytes: Buffer, sizeBefore: number): Promise<void> {
  try {
    for (let at = 0; at < bytes.length; ) at += (await writeTo(log, bytes, at)).bytesWritten;
  } catch (error) {
    ftruncateSync(log, sizeBefore);
    throw error;
  }
}
