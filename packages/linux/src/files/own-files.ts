/** Files and folders of the agent's own. */

import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import path from "node:path";
import { errno, NodeAgentError } from "@hooklet/utils";
import { disk } from "./disk.js";
import { notRegular } from "./regular-file.js";
import { untrustedPresentFolder } from "./trust.js";

// Files of the agent that are written in place. Whatever is there after damage, opening never blocks and nothing else is written to.

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

// Folders of the agent's trusted state: created by itself, never taken from another user who creates them at the same moment.

/**
 * Creates the folder and its missing parents, one step at a time, and checks the whole path once it exists. In folders
 * that are root's or sticky, other users cannot replace what belongs to root: what was checked stays. `instead`: what to do.
 * `sudoUid`: a user whose folders count as root's.
 * @throws NodeAgentError INVALID where a part of the path is another user's
 */
export async function makeOwnFolder(folder: string, instead: string, sudoUid?: number): Promise<void> {
  const missing: string[] = [];
  for (let step = path.resolve(folder); !(await isThere(step)); step = path.dirname(step)) missing.unshift(step);
  for (const step of missing) {
    await disk.mkdir(step, { mode: 0o755 }).catch((error: unknown) => {
      // Another user may have been faster: the check below finds the owner.
      if (errno(error) !== "EEXIST") throw error;
    });
  }
  const owners = { uid: process.geteuid?.() ?? -1, ...(sudoUid !== undefined && { sudoUid }) };
  const fault = untrustedPresentFolder(path.resolve(folder), instead, owners);
  if (fault === undefined) return;
  throw new NodeAgentError("INVALID", `${folder} cannot be used: expected ${fault.expected}, found ${fault.found}`);
}

async function isThere(folder: string): Promise<boolean> {
  try {
    await disk.lstat(folder);
    return true;
  } catch (error) {
    if (errno(error) === "ENOENT") return false;
    throw error;
  }
}
