/** Where the machine's cgroups can be written. */

import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { type CgroupHierarchy, readCgroupLayout } from "@hooklet/core/rules";
import type { LinuxContainerResources } from "@hooklet/core/subsystem";
import { kernelFiles, makeCgroup as makeIn } from "@hooklet/linux";

const USED_V1 = ["cpu", "cpuacct", "cpuset", "memory", "pids", "freezer", "hugetlb"];

/** The hierarchies that limit containers, by /proc/self/mountinfo. Pure. */
export function findHierarchies(mountinfo: string): readonly CgroupHierarchy[] {
  const layout = readCgroupLayout(mountinfo);
  const all = layout?.hierarchies ?? [];
  return layout?.version === "v2"
    ? all
    : all.filter(({ controllers }) => controllers.some((name) => USED_V1.includes(name)));
}

/**
 * Those of the hierarchies in which we can make a cgroup, and why not the others. `root`: below which path: where v2 cannot be
 * written at its root, the cgroup that we were started in may be ours (systemd delegates it). @param own its path
 */
export function writableHierarchies(
  found: readonly CgroupHierarchy[],
  own: string,
): {
  readonly writable: CgroupHierarchy[];
  readonly refused: string[];
  readonly root: string;
} {
  const refused: string[] = [];
  const writable = found.filter((hierarchy) => {
    const why = probe(hierarchy, "/");
    if (why !== undefined) refused.push(why);
    return why === undefined;
  });
  const [v2] = found;
  if (writable.length > 0 || v2?.version !== "v2" || own === "/") return { writable, refused, root: "/" };
  const why = probe(v2, own);
  return why === undefined
    ? { writable: [v2], refused: [], root: own }
    : { writable, refused: [...refused, why], root: "/" };
}

/** Why no cgroup can be made there; undefined: it can. */
function probe({ mountPoint }: CgroupHierarchy, below: string): string | undefined {
  const folder = join(mountPoint, below, `hooklet-probe-${process.pid}`);
  try {
    mkdirSync(folder);
    rmdirSync(folder);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/**
 * Without hierarchies that only some containers need: each one more costs every start. `hasPod`: whether the pod's
 * cgroup exists there, whose values then apply to the container too. Pure.
 */
export function neededHierarchies(
  all: readonly CgroupHierarchy[],
  resources: LinuxContainerResources,
  hasPod: (hierarchy: CgroupHierarchy) => boolean = () => false,
): CgroupHierarchy[] {
  const asked = new Set([
    ...(resources.cpusetCpus || resources.cpusetMems ? ["cpuset"] : []),
    ...(resources.hugepageLimits?.some(({ limit }) => limit > 0) ? ["hugetlb"] : []),
  ]);
  const rare = new Set(["cpuset", "hugetlb"]);
  return all.filter((hierarchy) => {
    const { version, controllers } = hierarchy;
    return version === "v2" || controllers.some((name) => !rare.has(name) || asked.has(name)) || hasPod(hierarchy);
  });
}

// Making and removing the folders of a cgroup in all hierarchies.

/** `path` as an absolute cgroupfs path. Throws `invalid-argument` for paths that climb. */
export function checkCgroupPath(path: string): string {
  if (!path.startsWith("/") || path.split("/").includes("..") || path.includes("\0")) {
    throw new RuntimeError(
      "invalid-argument",
      `linux.cgroupParent: expected an absolute cgroupfs path without .., found ${JSON.stringify(path)}`,
    );
  }
  return normalize(path);
}

/** The highest folder on the way to `path` that is missing in some hierarchy; undefined when all exist. */
export function firstMissing(hierarchies: readonly CgroupHierarchy[], path: string): string | undefined {
  const steps = stepsOf(path);
  return steps.find((step) => hierarchies.some(({ mountPoint }) => !existsSync(join(mountPoint, step))));
}

/** Creates `path` with its parents, without controllers that a parent cannot delegate (it has processes). */
export function makeCgroup({ mountPoint, version, controllers }: CgroupHierarchy, path: string): void {
  makeIn(kernelFiles, { mountPoint, version, cpuset: controllers.includes("cpuset") }, path);
}

/** Removes `path` and then its parents up to `last`, as long as they are empty. */
export function removeUpTo(hierarchies: readonly CgroupHierarchy[], path: string, last: string): void {
  for (const hierarchy of hierarchies) {
    for (let step = path; step !== "/" && (step === last || step.startsWith(`${last}/`)); step = dirname(step)) {
      if (!kernelFiles.removeDirectory(join(hierarchy.mountPoint, step))) break;
    }
  }
}

function stepsOf(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
}
