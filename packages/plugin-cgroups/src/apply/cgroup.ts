/** Makes and removes cgroups. */

import { type Clock, errorText, NodeAgentError } from "@hooklet/core";
import type { CgroupLayout } from "@hooklet/core/rules";
import { makeCgroup, pidsBelow, removeCgroup } from "@hooklet/linux";
import { allFolders, type CgroupFiles, isRequired } from "../host/cgroup-files.js";
import type { CgroupSetting } from "../plan/setting.js";

// What came of a plan.

export interface Written extends CgroupSetting {
  /** What stood there before; undefined in a cgroup that was made just now. */
  readonly before: string | undefined;
}

/** What did not come out as wanted. */
export interface Refused {
  readonly path: string;
  readonly file: string;
  readonly wanted: string;
  /** What stands there now; undefined when it cannot be read. */
  readonly got: string | undefined;
  /** `EINVAL`, ...; undefined when the kernel took the write and made something else of it. */
  readonly errno: string | undefined;
  readonly message: string;
}

export interface Report {
  /** Cgroups that were not there. */
  readonly made: readonly string[];
  readonly written: readonly Written[];
  readonly refused: readonly Refused[];
}

// Making cgroups, in every hierarchy in which they must be.

interface Made {
  /** False when it existed in every hierarchy. */
  readonly made: boolean;
  readonly refused: readonly Refused[];
}

/**
 * Creates a cgroup and its parents in every required hierarchy. @throws Error with `code` from mkdir
 * @param thorough checks the parents of an existing cgroup as well: their controllers may have been disabled
 */
export function ensureCgroup(files: CgroupFiles, layout: CgroupLayout, path: string, thorough = false): Made {
  const refused: Refused[] = [];
  let made = false;
  for (const hierarchy of layout.hierarchies) {
    if (layout.version === "v1" && !isRequired(hierarchy)) continue;
    const mount = { ...hierarchy, cpuset: hierarchy.controllers.includes("cpuset") };
    const result = makeCgroup(files, mount, path, thorough);
    made ||= result.made;
    for (const { path: parent, controller, enabled, errno, message } of result.notHandedDown) {
      refused.push({
        path: parent,
        file: "cgroup.subtree_control",
        wanted: `+${controller}`,
        got: enabled,
        errno,
        message,
      });
    }
  }
  return { made, refused };
}

/** Whether a cgroup exists in any hierarchy. */
export function cgroupExists(files: CgroupFiles, layout: CgroupLayout, path: string): boolean {
  return allFolders(layout, path).some((folder) => files.changedAt(folder) !== undefined);
}

/** The message about a missing cgroup. */
export function missingCgroup(path: string): string {
  return `cgroup ${path} does not exist. Expected it to be there: make it, or take the option away`;
}

// Removes a pod's cgroup with everything in it.

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
