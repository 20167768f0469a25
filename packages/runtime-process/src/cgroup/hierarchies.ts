/** Where the machine's cgroups can be written. */
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { errorText, type LinuxContainerResources } from "@hooklet/core";
import type { MountedFs } from "../rootfs/mountinfo.js";

export interface Hierarchy {
  readonly version: 1 | 2;
  readonly controllers: ReadonlySet<string>;
  readonly mountPoint: string;
}

const USED_V1 = ["cpu", "cpuacct", "cpuset", "memory", "pids", "freezer", "hugetlb"];

/** v1 wherever a v1 hierarchy has cpu, memory or pids (hybrid machines too), otherwise v2. Pure. */
export function findHierarchies(mounts: readonly MountedFs[]): Hierarchy[] {
  const v1: Hierarchy[] = [];
  for (const mount of mounts) {
    if (mount.type !== "cgroup" || mount.readonly) continue;
    const controllers = new Set(mount.superOptions.filter((option) => USED_V1.includes(option)));
    const known = v1.some((other) => [...controllers].some((name) => other.controllers.has(name)));
    if (controllers.size > 0 && !known) v1.push({ version: 1, controllers, mountPoint: mount.mountPoint });
  }
  if (v1.some(({ controllers }) => ["cpu", "memory", "pids"].some((name) => controllers.has(name)))) return v1;
  const v2 = mounts.filter(({ type, readonly }) => type === "cgroup2" && !readonly).slice(0, 1);
  return v2.map(({ mountPoint }) => ({ version: 2, controllers: new Set(), mountPoint }));
}

/**
 * Those of the hierarchies in which we can make a cgroup, and why not the others. `root`: below which path: where v2 cannot be
 * written at its root, the cgroup that we were started in may be ours (systemd delegates it). @param own its path
 */
export function writableHierarchies(
  found: readonly Hierarchy[],
  own: string,
): {
  readonly writable: Hierarchy[];
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
  if (writable.length > 0 || v2?.version !== 2 || own === "/") return { writable, refused, root: "/" };
  const why = probe(v2, own);
  return why === undefined
    ? { writable: [v2], refused: [], root: own }
    : { writable, refused: [...refused, why], root: "/" };
}

/** Why no cgroup can be made there; undefined: it can. */
function probe({ mountPoint }: Hierarchy, below: string): string | undefined {
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
 * Without those that only some containers ask for: each one more costs every start. `hasPod`: whether somebody made the pod's
 * cgroup there, whose values are then the container's, too. Pure.
 */
export function neededHierarchies(
  all: readonly Hierarchy[],
  resources: LinuxContainerResources,
  hasPod: (hierarchy: Hierarchy) => boolean = () => false,
): Hierarchy[] {
  const asked = new Set([
    ...(resources.cpusetCpus || resources.cpusetMems ? ["cpuset"] : []),
    ...(resources.hugepageLimits?.some(({ limit }) => limit > 0) ? ["hugetlb"] : []),
  ]);
  const rare = new Set(["cpuset", "hugetlb"]);
  return all.filter((hierarchy) => {
    const { version, controllers } = hierarchy;
    return version === 2 || [...controllers].some((name) => !rare.has(name) || asked.has(name)) || hasPod(hierarchy);
  });
}
