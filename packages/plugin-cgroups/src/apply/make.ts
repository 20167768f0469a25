/** Making cgroups, parents first. */
import { errorText } from "@hooklet/core";
import { allFolders, type CgroupLayout, isRequired } from "../host/hierarchies.js";
import { type CgroupFiles, errnoOf } from "../host/port.js";
import type { Refused } from "./report.js";

/** What pods are limited by on v2, as far as the kernel offers it. */
const CONTROLLERS = ["cpu", "cpuset", "memory", "hugetlb", "pids", "io"];

export interface Made {
  /** False when it was there in every hierarchy. */
  readonly made: boolean;
  readonly refused: readonly Refused[];
}

/**
 * Makes a cgroup and its parents in every hierarchy in which it must be. v2 parents hand their controllers down, v1
 * cpusets begin with what their parent has: without that no process can enter. @throws Error with `code` from mkdir
 * @param thorough looks at the way to a cgroup that is there as well: its controllers may have been taken away
 */
export function ensureCgroup(files: CgroupFiles, layout: CgroupLayout, path: string, thorough = false): Made {
  const refused: Refused[] = [];
  let made = false;
  const steps = stepsOf(path);
  for (const hierarchy of layout.hierarchies) {
    const v2 = layout.version === "v2";
    if (!v2 && !isRequired(hierarchy)) continue;
    if (!thorough && files.changedAt(`${hierarchy.mountPoint}${path}`) !== undefined) continue;
    let parent = hierarchy.mountPoint;
    for (const step of steps) {
      if (v2) refused.push(...handDown(files, parent, step.parent));
      const folder = `${hierarchy.mountPoint}${step.path}`;
      if (files.makeDirectory(folder)) made ||= step.path === path;
      // Also where it was there: whoever made it may have come no further.
      if (hierarchy.controllers.includes("cpuset")) inheritCpuset(files, parent, folder);
      parent = folder;
    }
  }
  return { made, refused };
}

/** Whether a cgroup is there, in whichever hierarchy. */
export function cgroupExists(files: CgroupFiles, layout: CgroupLayout, path: string): boolean {
  return allFolders(layout, path).some((folder) => files.changedAt(folder) !== undefined);
}

/** What is said of a cgroup that should be there. */
export function missingCgroup(path: string): string {
  return `cgroup ${path} does not exist. Expected it to be there: make it, or take the option away`;
}

function stepsOf(path: string): { readonly path: string; readonly parent: string }[] {
  const parts = path.split("/").filter((part) => part !== "");
  const upTo = (count: number): string => `/${parts.slice(0, count).join("/")}`;
  return parts.map((_, index) => ({ path: upTo(index + 1), parent: upTo(index) }));
}

/** A parent that holds processes of its own refuses (EBUSY): its children then go without these limits, which is told. */
function handDown(files: CgroupFiles, folder: string, path: string): Refused[] {
  const offered = words(files.read(`${folder}/cgroup.controllers`));
  const enabled = words(files.read(`${folder}/cgroup.subtree_control`));
  const file = "cgroup.subtree_control";
  return CONTROLLERS.filter((name) => offered.includes(name) && !enabled.includes(name)).flatMap((name) => {
    try {
      files.write(`${folder}/${file}`, `+${name}`);
      return [];
    } catch (error) {
      const message = `cannot hand ${name} down in ${folder}: ${errorText(error)}`;
      return [{ path, file, wanted: `+${name}`, got: enabled.join(" "), errno: errnoOf(error), message }];
    }
  });
}

function inheritCpuset(files: CgroupFiles, parent: string, folder: string): void {
  for (const file of ["cpuset.cpus", "cpuset.mems"]) {
    if ((files.read(`${folder}/${file}`) ?? "").trim() !== "") continue;
    const value = (files.read(`${parent}/${file}`) ?? "").trim();
    if (value !== "") files.write(`${folder}/${file}`, value);
  }
}

function words(text: string | undefined): string[] {
  return (text ?? "").split(/\s+/).filter((word) => word !== "");
}
