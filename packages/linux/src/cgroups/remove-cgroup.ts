/** Removes a cgroup, for pods and for containers. */
import { type Clock, sleep } from "@hooklet/utils";
import type { KernelFiles } from "../host.js";

type Files = Pick<KernelFiles, "directories" | "removeDirectory">;

export interface RemovalOptions {
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
  files: Files,
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
function removeBelow(files: Files, folder: string): boolean {
  if (files.removeDirectory(folder)) return true;
  for (const name of files.directories(folder)) removeBelow(files, `${folder}/${name}`);
  return files.removeDirectory(folder);
}
