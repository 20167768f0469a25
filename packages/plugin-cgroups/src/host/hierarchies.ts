/** Hierarchies in which the agent makes cgroups, and all folders that a cgroup may have. Pure. */
import { type CgroupHierarchy, type CgroupLayout, cgroupBelow } from "@hooklet/core/rules";

/** Controllers in which the agent makes a v1 cgroup: those that libcontainer requires, and the freezer, to kill with. */
const REQUIRED = ["cpu", "cpuacct", "cpuset", "memory", "name=systemd", "pids", "hugetlb", "freezer"];

/** The folders in which a cgroup may be, the agent's and those of a runtime: all there are. */
export function allFolders(layout: CgroupLayout, path: string): readonly string[] {
  return layout.hierarchies.map((one) => cgroupBelow(one, path));
}

export function isRequired({ version, controllers }: CgroupHierarchy): boolean {
  return version === "v1" && controllers.some((name) => REQUIRED.includes(name));
}
