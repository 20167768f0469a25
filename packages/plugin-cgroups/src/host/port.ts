/** What cgroups need of the machine: the kernel's files (`ctx.host.kernel`), and an end for processes. */
import type { Host } from "@hooklet/core";
import type { KernelFiles } from "@hooklet/core/subsystem";

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
