/** Creates cgroups, for pods and for containers. */
import { errno, errorText } from "@hooklet/utils";
import type { KernelFiles } from "../host.js";

/** One mounted hierarchy. */
export interface CgroupMount {
  readonly mountPoint: string;
  readonly version: "v1" | "v2";
  /** v1: a process can enter only once processors and memory nodes are named. */
  readonly cpuset: boolean;
}

/** A controller that a parent does not give to its children. */
export interface NotHandedDown {
  /** cgroupfs path of the parent. */
  readonly path: string;
  readonly controller: string;
  /** What it does give, as the kernel has it. */
  readonly enabled: string;
  readonly errno: string | undefined;
  readonly message: string;
}

export interface MadeCgroup {
  /** False when it existed. */
  readonly made: boolean;
  readonly notHandedDown: readonly NotHandedDown[];
}

type Files = Pick<KernelFiles, "read" | "write" | "makeDirectory" | "changedAt">;

/** What pods are limited by on v2, as far as the kernel offers it. */
const CONTROLLERS = ["cpu", "cpuset", "memory", "hugetlb", "pids", "io"];

/**
 * Creates a cgroup and its parents in one hierarchy: v2 parents delegate their controllers, v1 cpusets begin with their
 * parent's values. @throws Error with `code` from mkdir
 * @param thorough checks all parents of an existing cgroup: its creation may be incomplete
 */
export function makeCgroup(files: Files, mount: CgroupMount, path: string, thorough = false): MadeCgroup {
  const { mountPoint, version, cpuset } = mount;
  const steps = stepsOf(path);
  const there = (step: string): boolean => files.changedAt(`${mountPoint}${step}`) !== undefined;
  // The first one that is missing, seen from below: most often that is the last.
  let first = steps.length;
  while (first > 0 && !there(steps[first - 1] ?? "")) first--;
  const notHandedDown: NotHandedDown[] = [];
  const isChecked = thorough && (version === "v2" || cpuset);
  if (first === steps.length && !isChecked) return { made: false, notHandedDown };
  let made = false;
  for (const [at, step] of steps.entries()) {
    const parent = steps[at - 1] ?? "/";
    if (version === "v2") notHandedDown.push(...handDown(files, mountPoint, parent));
    if (at < first && !isChecked) continue;
    if (at >= first) made = files.makeDirectory(`${mountPoint}${step}`);
    if (cpuset) inheritCpuset(files, at === 0 ? mountPoint : `${mountPoint}${parent}`, `${mountPoint}${step}`);
  }
  return { made, notHandedDown };
}

/** `/a/b` as `/a`, `/a/b`. */
function stepsOf(path: string): readonly string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
}

/** A parent with processes refuses (EBUSY): its children then have no such limits. */
function handDown(files: Files, mountPoint: string, path: string): NotHandedDown[] {
  const folder = path === "/" ? mountPoint : `${mountPoint}${path}`;
  const offered = words(files.read(`${folder}/cgroup.controllers`));
  const enabled = words(files.read(`${folder}/cgroup.subtree_control`));
  return CONTROLLERS.filter((name) => offered.includes(name) && !enabled.includes(name)).flatMap((controller) => {
    try {
      files.write(`${folder}/cgroup.subtree_control`, `+${controller}`);
      return [];
    } catch (error) {
      const message = `cannot hand ${controller} down in ${folder}: ${errorText(error)}`;
      return [{ path, controller, enabled: enabled.join(" "), errno: errno(error), message }];
    }
  });
}

function inheritCpuset(files: Files, parent: string, folder: string): void {
  for (const file of ["cpuset.cpus", "cpuset.mems"]) {
    if ((files.read(`${folder}/${file}`) ?? "").trim() !== "") continue;
    const value = (files.read(`${parent}/${file}`) ?? "").trim();
    if (value !== "") files.write(`${folder}/${file}`, value);
  }
}

function words(text: string | undefined): string[] {
  return (text ?? "").split(/\s+/).filter((word) => word !== "");
}
