/** Kills what runs in a cgroup, and removes it: for pods and for containers. */

import { type Clock, sleep, unless } from "@hooklet/utils";
import type { KernelFiles } from "../host.js";
import { identifyListed, type ProcessIdentity } from "../processes/process-identity.js";

interface RemovalOptions {
  /** Milliseconds before the second try; doubled for each further one, up to 100. */
  readonly pause: number;
  /** Milliseconds after which it is given up. */
  readonly patience: number;
  /** Before each try. */
  readonly kill?: () => Promise<void>;
}

/**
 * Removes a cgroup with all below it, given by its folders, one a hierarchy. The kernel lets go of one a moment after its last process,
 * and a process may fork between: so it is tried again. A folder that is not there is fine.
 * @returns the folders that are left
 */
export async function removeCgroup(
  files: Pick<KernelFiles, "directories" | "removeDirectory">,
  folders: readonly string[],
  clock: Clock,
  { pause: first, patience, kill }: RemovalOptions,
): Promise<readonly string[]> {
  const until = clock.monotonic() + patience;
  for (let pause = first; ; pause = Math.min(pause * 2, 100)) {
    await kill?.();
    const left = folders.filter((folder) => !removeBelow(files, folder));
    if (left.length === 0 || clock.monotonic() >= until) return left;
    await sleep(clock, pause);
  }
}

/** Children first. True when all of it is gone. */
function removeBelow(files: Pick<KernelFiles, "directories" | "removeDirectory">, folder: string): boolean {
  if (files.removeDirectory(folder)) return true;
  for (const name of files.directories(folder)) removeBelow(files, `${folder}/${name}`);
  return files.removeDirectory(folder);
}

/** How processes are known and killed. */
export interface Killer {
  identify(pid: number): ProcessIdentity | undefined;
  /** False when it is gone. @throws Error with `code` EPERM */
  kill(target: ProcessIdentity): Promise<boolean>;
}

/**
 * One round of KILL for all processes in a cgroup and below it, given by its folders, one a hierarchy. Where the kernel has
 * cgroup.kill it kills them itself; elsewhere each process is identified first, so that a reused pid is not hit, and a
 * freezer keeps them from forking meanwhile. A missing folder is fine.
 * @returns the killed pids @throws Error with `code` EPERM
 */
export async function killCgroup(
  files: Pick<KernelFiles, "read" | "write" | "directories">,
  folders: readonly string[],
  killer: Killer,
): Promise<readonly number[]> {
  const before = pidsBelow(files, folders);
  if (before.length === 0) return [];
  const frozen = folders.filter((folder) => writeIfThere(files, `${folder}/freezer.state`, "FROZEN"));
  try {
    const byKernel = folders.filter((folder) => writeIfThere(files, `${folder}/cgroup.kill`, "1"));
    const others = folders.filter((folder) => !byKernel.includes(folder));
    const killed = new Set(byKernel.length === folders.length ? before : []);
    const kill = async (target: ProcessIdentity): Promise<void> => {
      if (await killer.kill(target)) killed.add(target.pid);
    };
    await Promise.all(identifyListed(() => pidsBelow(files, others), killer.identify).map(kill));
    return [...killed];
  } finally {
    // What a container froze itself would never end.
    for (const folder of frozen.flatMap((one) => withBelow(files, one))) {
      writeIfThere(files, `${folder}/freezer.state`, "THAWED");
    }
  }
}

function withBelow(files: Pick<KernelFiles, "directories">, folder: string): readonly string[] {
  return [folder, ...files.directories(folder).flatMap((name) => withBelow(files, `${folder}/${name}`))];
}

/** The processes of cgroups and of all below them, each once. */
export function pidsBelow(
  files: Pick<KernelFiles, "read" | "directories">,
  folders: readonly string[],
): readonly number[] {
  const pids = new Set<number>();
  for (const folder of folders.flatMap((one) => withBelow(files, one))) {
    for (const line of (files.read(`${folder}/cgroup.procs`) ?? "").split("\n")) {
      // 0 is a process of another PID namespace: it has no pid here.
      if (/^\d+$/.test(line) && Number(line) > 1) pids.add(Number(line));
    }
  }
  return [...pids];
}

/** False where the kernel has no such file, or no use for the value in this cgroup. */
function writeIfThere(files: Pick<KernelFiles, "write">, file: string, value: string): boolean {
  return unless(["ENOENT", "ENODEV", "EBUSY", "EOPNOTSUPP"], false, () => {
    files.write(file, value);
    return true;
  });
}
