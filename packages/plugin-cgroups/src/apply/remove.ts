/** Removes a pod's cgroup with everything in it. */
import { type Clock, errorText, NodeAgentError } from "@hooklet/core";
import type { CgroupLayout } from "@hooklet/core/rules";
import { pidsBelow, removeCgroup } from "@hooklet/linux";
import { allFolders, type CgroupFiles } from "../host/port.js";

/** Five rounds: milliseconds before the second one, and before the last. */
const TRIES = { pause: 10, patience: 150 };

/**
 * Kills the processes in a cgroup and below it, and removes its folders in every hierarchy, including those that only the
 * runtime made. Up to five rounds: a process may fork between. A missing cgroup is fine.
 * @returns how many processes were killed @throws NodeAgentError with the kubelet's message when something is left
 */
export async function removePodCgroup(
  files: CgroupFiles,
  layout: CgroupLayout,
  path: string,
  clock: Clock,
): Promise<number> {
  const folders = allFolders(layout, path);
  const killed = new Set<number>();
  const kill = async (): Promise<void> => {
    for (const pid of await killAll(files, folders, path)) killed.add(pid);
  };
  const left = await removeCgroup(files, folders, clock, { ...TRIES, kill });
  if (left.length === 0) return killed.size;
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
