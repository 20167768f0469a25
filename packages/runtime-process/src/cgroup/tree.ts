/** Making and removing the folders of a cgroup in all hierarchies. */
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { RuntimeError } from "@hooklet/core/host";
import type { CgroupHierarchy } from "@hooklet/core/rules";
import { kernelFiles, makeCgroup as makeIn } from "@hooklet/linux";

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
