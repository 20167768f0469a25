/** Where the machine's cgroups can be written. */
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "@hooklet/core";
import { type CgroupHierarchy, readCgroupLayout } from "@hooklet/core/rules";
import type { LinuxContainerResources } from "@hooklet/core/subsystem";

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
