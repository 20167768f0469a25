/** What cgroups need of the machine: the kernel's files (`ctx.host.kernel`), and an end for processes. */

import { type Host, NodeAgentError } from "@hooklet/core";
import { type CgroupHierarchy, type CgroupLayout, cgroupBelow, cgroupFolder } from "@hooklet/core/rules";
import type { KernelFiles } from "@hooklet/core/subsystem";
import type { CgroupDriver } from "../name/name.js";

export interface CgroupFiles
  extends Pick<
    KernelFiles,
    "read" | "write" | "writeSlowly" | "makeDirectory" | "removeDirectory" | "directories" | "changedAt"
  > {
  /** As `Host.killCgroup`. */
  killCgroup(folders: readonly string[]): Promise<readonly number[]>;
}

/** The files of the machine, or of the simulated one. */
export function hostFiles(host: Host): CgroupFiles {
  const { kernel } = host;
  return {
    read: (path) => kernel.read(path),
    write: (path, value) => kernel.write(path, value),
    writeSlowly: (path, value) => kernel.writeSlowly(path, value),
    makeDirectory: (path) => kernel.makeDirectory(path),
    removeDirectory: (path) => kernel.removeDirectory(path),
    directories: (path) => kernel.directories(path),
    changedAt: (path) => kernel.changedAt(path),
    killCgroup: (folders) => host.killCgroup(folders),
  };
}

/** Controllers in which the agent makes a v1 cgroup: those that libcontainer requires, and the freezer, to kill with. */
const REQUIRED = ["cpu", "cpuacct", "cpuset", "memory", "name=systemd", "pids", "hugetlb", "freezer"];

/** The folders in which a cgroup may be, the agent's and those of a runtime: all there are. */
export function allFolders(layout: CgroupLayout, path: string): readonly string[] {
  return layout.hierarchies.map((one) => cgroupBelow(one, path));
}

export function isRequired({ version, controllers }: CgroupHierarchy): boolean {
  return version === "v1" && controllers.some((name) => REQUIRED.includes(name));
}

/** The pids of one cgroup.procs; none when it does not exist. @throws Error with the kubelet's message on a line that is no number */
export function readPids(files: Pick<CgroupFiles, "read">, path: string): number[] {
  const pids: number[] = [];
  for (const line of (files.read(path) ?? "").split("\n")) {
    if (line === "") continue;
    if (!/^\d+$/.test(line)) {
      throw new NodeAgentError("INVALID", `unexpected line in ${path}; could not convert to pid: ${line}`);
    }
    pids.push(Number(line));
  }
  return pids;
}

/** The cgroup of CRI-O's helper, a sibling of the container's. */
const HELPER = "-conmon-";

/**
 * The last component of a container's cgroup: its id with cgroupfs, with systemd a scope whose prefix is the runtime's
 * (`cri-containerd-ID.scope`, `crio-ID.scope`). Undefined while there is none.
 */
export function containerFolder(
  files: Pick<CgroupFiles, "directories">,
  layout: CgroupLayout,
  driver: CgroupDriver,
  { podPath, id }: { readonly podPath: string; readonly id: string },
): string | undefined {
  if (driver === "cgroupfs") return id;
  const folder = cgroupFolder(layout, "memory", podPath);
  if (folder === undefined) return undefined;
  return files.directories(folder).find((name) => name.endsWith(`-${id}.scope`) && !name.includes(HELPER));
}
