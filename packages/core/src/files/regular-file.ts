/** Files that somebody else may have put in place of ours: links are not followed, FIFOs not waited for. */
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
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
export async function openRegular(folder: Place, name: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
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
  const file = openSync(folder.at(name), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw notRegular(name);
}

function notRegular(name: string): Error {
  return Object.assign(new Error(`${name}: expected a regular file, found something else`), { code: "EINVAL" });
}
