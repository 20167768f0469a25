/** Making and removing the folders of a cgroup in all hierarchies. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { errno, RuntimeError } from "@hooklet/core/host";
import { isMissing } from "../fs-errors.js";
import type { Hierarchy } from "./hierarchies.js";

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

/** The highest folder on the way to `path` that is missing in some hierarchy; undefined when all are there. */
export function firstMissing(hierarchies: readonly Hierarchy[], path: string): string | undefined {
  const steps = stepsOf(path);
  return steps.find((step) => hierarchies.some(({ mountPoint }) => !existsSync(join(mountPoint, step))));
}

/** Makes `path` with its parents; v2 parents hand their controllers down, v1 cpusets copy their parent's. */
export function makeCgroup(hierarchy: Hierarchy, path: string): void {
  const parent = dirname(path);
  const folder = join(hierarchy.mountPoint, path);
  if (parent !== "/" && !existsSync(dirname(folder))) makeCgroup(hierarchy, parent);
  if (hierarchy.version === 2) handDown(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    if (errno(error) === "EEXIST") return;
    throw error;
  }
  if (hierarchy.controllers.has("cpuset")) inheritCpuset(dirname(folder), folder);
}

/** True when it is gone or was never there; false while processes or sub-cgroups are in it. */
export function removeCgroup(hierarchy: Hierarchy, path: string): boolean {
  try {
    rmdirSync(join(hierarchy.mountPoint, path));
    return true;
  } catch (error) {
    if (isMissing(error)) return true;
    const code = errno(error);
    if (code === "EBUSY" || code === "ENOTEMPTY") return false;
    throw error;
  }
}

/** Removes `path` and then its parents up to `last`, as long as they are empty. */
export function removeUpTo(hierarchies: readonly Hierarchy[], path: string, last: string): void {
  for (const hierarchy of hierarchies) {
    for (let step = path; step !== "/" && (step === last || step.startsWith(`${last}/`)); step = dirname(step)) {
      if (!removeCgroup(hierarchy, step)) break;
    }
  }
}

function stepsOf(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
}

/** A parent that holds processes of its own refuses (EBUSY); its children then go without these limits. */
function handDown(parent: string): void {
  const available = readWords(join(parent, "cgroup.controllers"));
  const enabled = new Set(readWords(join(parent, "cgroup.subtree_control")));
  for (const name of available) {
    if (enabled.has(name)) continue;
    try {
      writeFileSync(join(parent, "cgroup.subtree_control"), `+${name}`);
    } catch (error) {
      if (!["EBUSY", "ENOENT", "EOPNOTSUPP", "EINVAL", "EACCES", "EPERM"].includes(errno(error) ?? "")) throw error;
    }
  }
}

function inheritCpuset(parent: string, folder: string): void {
  for (const file of ["cpuset.cpus", "cpuset.mems"]) {
    if (readWords(join(folder, file)).length > 0) continue;
    const value = readWords(join(parent, file))[0];
    if (value !== undefined) writeFileSync(join(folder, file), value);
  }
}

function readWords(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split(/\s+/)
      .filter((word) => word !== "");
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
