/** Reads files that others may have replaced: links are not followed, FIFOs do not block. */
import { constants } from "node:fs";
import path from "node:path";
import { disk, type OpenFile } from "./disk.js";
import { Place } from "./place.js";

/** How many folders above a container's log may hold what its pod can change: `<pod>/<container>/<log>`. */
const LOG_FOLDERS = 2;

/** The folder of a container's log, reached without a link below the directory of all logs. Throws as open(2) does. */
export function openLogFolder(file: string): Place {
  const folders: string[] = [];
  let above = path.dirname(file);
  while (folders.length < LOG_FOLDERS && path.dirname(above) !== above) {
    folders.unshift(path.basename(above));
    above = path.dirname(above);
  }
  const top = Place.open(`${above}/.`);
  try {
    return top.descend(folders);
  } finally {
    top.close();
  }
}

/** An entry of an open folder for reading. Throws ELOOP for a link, EINVAL for what is no regular file. */
export async function openRegular(folder: Place, name: string): Promise<OpenFile> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await disk.open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if ((await handle.stat()).isFile()) return handle;
    throw notRegular(name);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a regular file for appending, makes it when it is missing. The caller closes the descriptor. */
export function openForAppending(folder: Place, name: string, mode: number): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = disk.openSync(folder.at(name), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode);
  if (disk.fstatSync(file).isFile()) return file;
  disk.closeSync(file);
  throw notRegular(name);
}

export interface ReadBounds {
  readonly maxBytes: number;
  /** Refuses a link at the end of the path: for files that only the agent creates. */
  readonly noLink?: boolean;
  /** Reads FIFOs and devices as well, up to `maxBytes`: for paths that a user names, such as `<(...)` of a shell. */
  readonly anyKind?: boolean;
}

/** The text of any kind of file: a FIFO does not block, and the size is bounded. Rejects as open(2) and read(2) do, with EINVAL, EFBIG. */
export async function readBounded(file: string, { maxBytes, noLink, anyKind }: ReadBounds): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  const handle = await disk.open(
    file,
    O_RDONLY | O_NOCTTY | (anyKind === true ? 0 : O_NONBLOCK) | (noLink === true ? O_NOFOLLOW : 0),
  );
  try {
    const found = await handle.stat();
    // A folder is refused by the first read, with EISDIR.
    if (anyKind !== true && !found.isFile() && !found.isDirectory()) throw notRegular(file);
    const chunks: Buffer[] = [];
    for (let size = 0; ; ) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null);
      if (bytesRead === 0) return Buffer.concat(chunks).toString("utf8");
      size += bytesRead;
      if (size > maxBytes) throw tooLarge(file, maxBytes);
      chunks.push(bytesRead < CHUNK ? Buffer.from(buffer.subarray(0, bytesRead)) : buffer);
    }
  } finally {
    await handle.close();
  }
}

const CHUNK = 64 * 1024;

function tooLarge(file: string, maxBytes: number): Error {
  const text = `${file}: expected at most ${maxBytes} bytes, found more`;
  return Object.assign(new Error(text), { code: "EFBIG" });
}

export function notRegular(name: string): Error {
  return Object.assign(new Error(`${name}: expected a regular file, found something else`), { code: "EINVAL" });
}
