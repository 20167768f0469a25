/** A state file of the agent or of a plugin: whole, checked, and moved aside when damaged. */
import type { Stats } from "node:fs";
import { dirname } from "node:path";
import { type Clock, errorText, type Json, NodeAgentError, whenGone } from "@hooklet/utils";
import { disk } from "../files/disk.js";
import { readBounded } from "../files/regular-file.js";
import { decodeChecked, encodeChecked, removeLeftover, writeFileAtomic } from "./atomic-file.js";

/** Far above what any state grows to; a larger file is not ours. */
const MAX_BYTES = 256 * 1024 * 1024;

/** What stands in a state file, as text. */
export interface StateCodec<T> {
  encode(value: T): string;
  /** @throws Error for what is damaged */
  decode(text: string): T;
}

export interface StateFile<T> {
  /** Undefined when there is none, or it was damaged: then it was moved aside. */
  read(): Promise<T | undefined>;
  /** The same, where `accept` throws for what is as good as damaged. */
  readAs<U>(accept: (value: T) => U): Promise<U | undefined>;
  write(value: T): Promise<void>;
}

export interface CheckpointOptions {
  readonly clock: Clock;
  /** The file was damaged. `aside`: where it lies now; undefined when it could not be moved. */
  onDamaged(path: string, aside: string | undefined, why: string): void;
}

/**
 * Opens the state file at an absolute path; the first write creates its folder. Concurrent writes settle together
 * once the newest value is on disk: older values are never written.
 * `read` rejects with STATE_UNREADABLE when the file exists but cannot be read.
 */
export function openCheckpoint(path: string, options: CheckpointOptions): StateFile<Json> {
  return openStateFile<Json>(path, { encode: encodeChecked, decode: decodeChecked }, options);
}

/** The same for a file in another format. */
export function openStateFile<T>(path: string, codec: StateCodec<T>, options: CheckpointOptions): StateFile<T> {
  let next: { value: T; done: Promise<void> } | undefined;
  let last: Promise<void> = Promise.resolve();
  const readAs = async <U>(accept: (value: T) => U): Promise<U | undefined> => {
    await removeLeftover(path).catch(() => {});
    const damaged = async (why: string): Promise<undefined> => {
      options.onDamaged(path, await quarantine(path, options.clock.now()), why);
      return undefined;
    };
    const other = await otherThanOurs(path);
    if (other !== undefined) return damaged(other);
    const text = await readText(path);
    if (text === undefined) return undefined;
    try {
      return accept(codec.decode(text));
    } catch (error) {
      return damaged(errorText(error));
    }
  };
  return {
    read: () => readAs((value) => value),
    readAs,
    write(value) {
      if (next !== undefined) {
        next.value = value;
        return next.done;
      }
      const mine = { value, done: Promise.resolve() };
      mine.done = last.then(async () => {
        next = undefined;
        await disk.mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(() => {});
        await writeFileAtomic(path, codec.encode(mine.value));
      });
      last = mine.done.catch(() => {});
      next = mine;
      return mine.done;
    },
  };
}

/** Describes what is in place of our file; undefined when it is our file, or nothing is there. A link is not followed. */
async function otherThanOurs(path: string): Promise<string | undefined> {
  const found = await reading(path, () => disk.lstat(path));
  if (found === undefined || (found.isFile() && found.size <= MAX_BYTES)) return undefined;
  return `expected a file of at most ${MAX_BYTES} bytes, found ${found.isFile() ? found.size : kindOf(found)}`;
}

function kindOf(found: Stats): string {
  if (found.isSymbolicLink()) return "a symbolic link";
  return found.isDirectory() ? "a directory" : "no regular file";
}

function readText(path: string): Promise<string | undefined> {
  return reading(path, () => readBounded(path, { maxBytes: MAX_BYTES, noLink: true }));
}

/** Undefined when it is not there. */
async function reading<T>(path: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await whenGone(undefined, read);
  } catch (error) {
    throw new NodeAgentError(
      "STATE_UNREADABLE",
      `Cannot read state file ${path}: ${errorText(error)}; make it readable for the agent, or move it away to start without it`,
      { cause: error },
    );
  }
}

async function quarantine(path: string, now: number): Promise<string | undefined> {
  const aside = `${path}.corrupt-${new Date(now).toISOString().replace(/[-:]/g, "")}`;
  return disk.rename(path, aside).then(
    () => aside,
    () => undefined,
  );
}
