/** What cgroups need of the machine: the kernel's files (`ctx.host.kernel`), and an end for processes. */
import type { NodeContext } from "@hooklet/core";

type KernelFiles = NodeContext["host"]["kernel"];

export interface CgroupFiles
  extends Pick<
    KernelFiles,
    "read" | "write" | "writeSlowly" | "makeDirectory" | "removeDirectory" | "directories" | "changedAt"
  > {
  /** KILL for one process; false when it is gone. @throws Error with `code` EPERM */
  kill(pid: number): boolean;
}

/** The real machine's. */
export function hostFiles({ kernel, kill }: NodeContext["host"]): CgroupFiles {
  return { ...kernel, kill: (pid) => kill(pid, "SIGKILL") };
}

/** The errno of a failed file operation, for example `EBUSY`. */
export function errnoOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
