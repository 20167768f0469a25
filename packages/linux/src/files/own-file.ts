/** Files of the agent that are written in place. Whatever is there after damage, opening never blocks and nothing else is written to. */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { disk } from "./disk.js";
import { notRegular } from "./regular-file.js";

/**
 * Opens it with `flags` and creates it where it is missing. A FIFO, a link, a socket or a device in its place is removed; a folder, which
 * may contain data, is moved aside as `<file>.corrupt-<hex>`. The caller closes the descriptor. Throws as open(2) and rename(2) do.
 */
export function openOwn(file: string, flags: number, mode: number): number {
  const found = disk.lstatSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) disk.renameSync(file, `${file}.corrupt-${randomBytes(8).toString("hex")}`);
  else if (found !== undefined && !found.isFile()) disk.unlinkSync(file);
  const { O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const opened = disk.openSync(file, flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode);
  if (disk.fstatSync(opened).isFile()) return opened;
  disk.closeSync(opened);
  throw notRegular(file);
}

/** Writes its whole content. Not atomic: for files that are created again when they are incomplete. */
export function writeOwn(file: string, text: string, mode: number): void {
  const opened = openOwn(file, constants.O_WRONLY | constants.O_TRUNC, mode);
  try {
    disk.writeFileSync(opened, text);
  } finally {
    disk.closeSync(opened);
  }
}
