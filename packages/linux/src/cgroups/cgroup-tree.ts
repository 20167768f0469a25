/** How cgroups are made: the same for whoever makes some, for pods or for containers. */
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
  /** False when it was there. */
  readonly made: boolean;
  readonly notHandedDown: readonly NotHandedDown[];
}

type Files = Pick<KernelFiles, "read" | "write" | "makeDirectory" | "changedAt">;

/** What pods are limited by on v2, as far as the kernel offers it. */
const CONTROLLERS = ["cpu", "cpuset", "memory", "hugetlb", "pids", "io"];

/**
 * Makes a cgroup and its parents in one hierarchy: v2 parents hand their controllers down, v1 cpusets begin with what their
 * parent has. @throws Error with `code` from mkdir
 * @param thorough looks at the whole way to it, also where it is there: whoever made it may have come no further
 */
export function makeCgroup(files: Files, mount: CgroupMount, path: string, thorough = false): MadeCgroup {
  const { mountPoint, version, cpuset } = mount;
  const steps = stepsOf(path);
  const there = (step: string): boolean => files.changedAt(`${mountPoint}${step}`) !== undefined;
  // The first one that is missing, seen from below: most often that is the last.
  let first = steps.length;
  while (first > 0 && !there(steps[first - 1] ?? "")) first--;
  const notHandedDown: NotHandedDown[] = [];
  if (first === steps.length && !thorough) return { made: false, notHandedDown };
  let made = false;
  for (const [at, step] of steps.entries()) {
    const parent = steps[at - 1] ?? "/";
    if (version === "v2") notHandedDown.push(...handDown(files, mountPoint, parent));
    if (at < first && !thorough) continue;
    made = files.makeDirectory(`${mountPoint}${step}`);
    if (cpuset) inheritCpuset(files, at === 0 ? mountPoint : `${mountPoint}${parent}`, `${mountPoint}${step}`);
  }
  return { made, notHandedDown };
}

/** `/a/b` as `/a`, `/a/b`. */
function stepsOf(path: string): readonly string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
}

/** A parent that holds processes of its own refuses (EBUSY): its children then go without these limits. */
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
