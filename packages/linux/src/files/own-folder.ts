/** Folders of the agent's trusted state: created by itself, never taken from another user who creates them at the same moment. */
import path from "node:path";
import { errno, NodeAgentError } from "@hooklet/utils";
import { disk } from "./disk.js";
import { untrustedPresentFolder } from "./trust.js";

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
