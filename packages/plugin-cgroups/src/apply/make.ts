/** Making cgroups, in every hierarchy in which they must be. */

import type { CgroupLayout } from "@hooklet/core/rules";
import { makeCgroup } from "@hooklet/linux";
import { allFolders, type CgroupFiles, isRequired } from "../host/port.js";
import type { Refused } from "./report.js";

export interface Made {
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
