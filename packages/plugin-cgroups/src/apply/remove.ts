/** Removal of a pod's cgroup with all that is left in it. */
import { type Clock, errorText, NodeAgentError, sleep } from "@hooklet/core";
import { allFolders, type CgroupLayout } from "../host/hierarchies.js";
import { pidsBelow } from "../host/pids.js";
import type { CgroupFiles } from "../host/port.js";

const ROUNDS = 5;
/** Milliseconds before the second round; doubled for each further one. */
const FIRST_PAUSE = 10;

/**
 * Kills what is left in a cgroup and below it, and removes its folders in every hierarchy, also where only the runtime
 * made them. Up to five rounds: a process may fork between. A cgroup that is not there is fine.
 * @returns how many processes were killed @throws NodeAgentError in the kubelet's words when something is left
 */
export async function removeCgroup(
  files: CgroupFiles,
  layout: CgroupLayout,
  path: string,
  clock: Clock,
): Promise<number> {
  const folders = allFolders(layout, path);
  const killed = new Set<number>();
  let left: readonly string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) await sleep(clock, FIRST_PAUSE * 2 ** (round - 1));
    for (const pid of await killAll(files, folders, path)) killed.add(pid);
    left = folders.filter((folder) => !removeBelow(files, folder));
    if (left.length === 0) return killed.size;
  }
  const pids = pidsBelow(files, folders);
  const why =
    pids.length > 0
      ? `failed to kill all the processes attached to the ${path} cgroups : ${pids.join(", ")}`
      : `failed to delete cgroup paths for ${path} : ${left.join(", ")} are busy`;
  throw new NodeAgentError("INVALID", why);
}

async function killAll(files: CgroupFiles, folders: readonly string[], path: string): Promise<readonly number[]> {
  try {
    return await files.killCgroup(folders);
  } catch (error) {
    throw new NodeAgentError(
      "INVALID",
      `failed to kill all the processes attached to the ${path} cgroups : ${errorText(error)}`,
      { cause: error },
    );
  }
}

/** Children first. True when all of it is gone. */
function removeBelow(files: CgroupFiles, folder: string): boolean {
  if (files.removeDirectory(folder)) return true;
  for (const name of files.directories(folder)) removeBelow(files, `${folder}/${name}`);
  return files.removeDirectory(folder);
}
