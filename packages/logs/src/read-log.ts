/**
 * Reads a container's log file for `hooklet logs`: its last lines, and on request what is written later, through rotation (the file is renamed
 * and a new one takes its place) and truncation.
 */

import path from "node:path";
import { type OpenFile, openLogFolder, openRegular, type Place } from "@hooklet/linux";
import { type Clock, errno, NodeAgentError, pause, whenGone } from "@hooklet/utils";
import { criParser, MAX_HEAD, parseHead } from "./cri-parser.js";
import { assertTimes } from "./log-checks.js";
import { type LogFile, type LogOptions, type LogOutput, type LogParser, rawParser } from "./log-lines.js";

export interface ReadLogOptions extends LogOptions {
  /** Number of lines from the end; undefined = all. */
  readonly tail?: number;
  readonly follow: boolean;
  /** Goes on where an earlier reading ended; `tail` counts no more then. */
  readonly from?: LogPosition;
  /** Once it is aborted the reading ends where another one can go on. */
  readonly until?: AbortSignal;
}

/** Where in a log a reading ended: between two lines. */
export interface LogPosition {
  /** Of the file; 0: there was none yet. */
  readonly inode: number;
  /** Bytes. */
  readonly offset: number;
}

const CHUNK = 64 * 1024;
const POLL_MILLISECONDS = 100;

/**
 * Resolves at the end of the file; with `follow` once the log has ended, the signal aborts, or `until` holds: then with the position
 * where another call can continue. A file that is rotated between the two is not read to its end. `drained` is awaited after each
 * chunk, so a slow reader slows the reading. A missing file is empty.
 * Links are not followed and only regular files are read: a container with its log directory mounted could create others there.
 * @throws NodeAgentError UNSUPPORTED when times are requested of a file without times; INVALID when it is not a log file.
 */
export async function readLog(
  clock: Clock,
  log: LogFile,
  options: ReadLogOptions,
  output: LogOutput,
  drained: () => Promise<void>,
  signal: AbortSignal,
): Promise<LogPosition | undefined> {
  const parser = parserFor(log, options, output);
  let reader = await openReader(log, options);
  try {
    while (!signal.aborted) {
      const ended = log.ended();
      if (reader !== undefined) await drain(reader, parser, drained, signal);
      if (!options.follow) return undefined;
      const next = await successor(log.path, reader);
      if (next !== undefined) {
        // What was written between the last read and the renaming is still in the old file.
        if (reader !== undefined) await drain(reader, parser, drained, signal);
        await reader?.file.close();
        reader = next;
        parser.newFile();
      } else if (ended) {
        return undefined;
      } else if (options.until?.aborted === true && parser.atRest) {
        return { inode: reader?.inode ?? 0, offset: reader?.position ?? 0 };
      } else {
        await pause(clock, POLL_MILLISECONDS, signal);
      }
    }
    return undefined;
  } finally {
    await reader?.file.close();
  }
}

function parserFor(log: LogFile, options: LogOptions, output: LogOutput): LogParser {
  assertTimes(log, options);
  return log.format === "cri" ? criParser(options, output) : rawParser(output);
}

interface Reader {
  readonly file: OpenFile;
  readonly inode: number;
  position: number;
}

async function openReader(log: LogFile, { from, tail }: ReadLogOptions): Promise<Reader | undefined> {
  const reader = await openAt(log.path);
  if (reader !== undefined && from !== undefined) {
    // The file is shorter now: it was truncated, and drain starts from its beginning.
    if (reader.inode === from.inode) reader.position = from.offset;
    return reader;
  }
  if (reader === undefined || tail === undefined) return reader;
  reader.position = await tailOffset(reader.file, (await reader.file.stat()).size, tail, log.format);
  return reader;
}

async function openAt(file: string): Promise<Reader | undefined> {
  return inFolderOf(file, async (folder) => {
    const handle = await openRegular(folder, path.basename(file));
    return { file: handle, inode: (await handle.stat()).ino, position: 0 };
  });
}

/** Undefined when folder or file are not there. */
function inFolderOf<T>(file: string, work: (folder: Place) => Promise<T>): Promise<T | undefined> {
  return whenGone(undefined, async () => {
    let folder: Place | undefined;
    try {
      folder = openLogFolder(file);
      return await work(folder);
    } catch (error) {
      throw unreadable(file, error);
    } finally {
      folder?.close();
    }
  });
}

function unreadable(file: string, error: unknown): unknown {
  if (!["ELOOP", "ENOTDIR", "EINVAL", "ENXIO"].includes(errno(error) ?? "")) return error;
  const text = `${file} is not read: expected a regular file in directories that are no links, found something else; look who writes there`;
  return new NodeAgentError("INVALID", text, { cause: error });
}

/** Passes on all that the file holds now. A file that became shorter was truncated and is read from its beginning. */
async function drain(
  reader: Reader,
  parser: LogParser,
  drained: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { size } = await reader.file.stat();
  if (size < reader.position) {
    reader.position = 0;
    parser.newFile();
  }
  while (!signal.aborted) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const { bytesRead } = await reader.file.read(chunk, 0, CHUNK, reader.position);
    if (bytesRead === 0) return;
    reader.position += bytesRead;
    parser.write(chunk.subarray(0, bytesRead));
    await drained();
  }
}

/** The file that took the place of the one being read, if one did. */
async function successor(file: string, reader: Reader | undefined): Promise<Reader | undefined> {
  const inode = await inFolderOf(file, async (folder) => {
    const entry = folder.child(path.basename(file));
    entry?.close();
    return entry?.stat.ino;
  });
  if (inode === undefined || inode === reader?.inode) return undefined;
  return openAt(file);
}

// Finds where the last lines of a log file begin, reading it from its end in blocks.

const BLOCK = 64 * 1024;
const NEWLINE = 0x0a;

async function readAt(file: OpenFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Where lines begin that follow a newline, from the end of the file to its start; last of all, 0. */
async function* lineStarts(file: OpenFile, size: number): AsyncGenerator<number> {
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - BLOCK);
    const block = await readAt(file, begin, end - begin);
    for (let at = block.lastIndexOf(NEWLINE); at !== -1; at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)) {
      yield begin + at + 1;
    }
    end = begin;
  }
  yield 0;
}

/**
 * The offset at which the last `lines` lines begin; `size` for 0 lines. A last line without a newline counts as one. In CRI
 * files the parts of one long line count as one line.
 */
export async function tailOffset(file: OpenFile, size: number, lines: number, format: "cri" | "raw"): Promise<number> {
  if (lines <= 0) return size;
  let found = 0;
  let offset = size;
  for await (const start of lineStarts(file, size)) {
    if (start === size) continue;
    // A part of a longer line: it belongs to the line that was found behind it, unless it is the end of the file.
    const part = format === "cri" && offset !== size && (await isPartial(file, start));
    if (!part) {
      if (found === lines) return offset;
      found += 1;
    }
    offset = start;
  }
  return 0;
}

async function isPartial(file: OpenFile, start: number): Promise<boolean> {
  const line = await readAt(file, start, MAX_HEAD);
  return parseHead(line)?.partial === true;
}
