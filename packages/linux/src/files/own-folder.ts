/** Folders that the agent keeps what it believes in: made by itself, never taken from another user who makes them at the same moment. */
import path from "node:path";
import { errno, NodeAgentError } from "@hooklet/utils";
import { disk } from "./disk.js";
import { untrustedPresentFolder } from "./trust.js";

/**
 * Makes the folder and what is missing above it, one step at a time, and looks at the whole way once all of it is there. What belongs to
 * root cannot be replaced by others below folders that are root's or sticky: what was looked at stays. `instead`: what to do.
 * `sudoUid`: a user whose folders count as root's.
 * @throws NodeAgentError INVALID where a part of the way is another user's
 */
export async function makeOwnFolder(folder: string, instead: string, sudoUid?: number): Promise<void> {
  const missing: string[] = [];
  for (let step = path.resolve(folder); !(await isThere(step)); step = path.dirname(step)) missing.unshift(step);
  for (const step of missing) {
    await disk.mkdir(step, { mode: 0o755 }).catch((error: unknown) => {
      // Another user may have been faster: the look below tells whose it is.
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
