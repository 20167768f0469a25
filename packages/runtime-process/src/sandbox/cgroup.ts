/**
 * The cgroup of a sandbox, below the pod's and a sibling of those of its containers, as other runtimes have one for their pause process.
 * The shims are in it, and each set-up until it joins its container's: their cost counts for the pod.
 */
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join, posix } from "node:path";
import { ContainerCgroup } from "../cgroup/container-cgroup.js";
import { neededHierarchies } from "../cgroup/hierarchies.js";
import type { Deps } from "../deps.js";

/** @param parent cgroupfs path of the pod */
export function sandboxCgroup({ hierarchies }: Pick<Deps, "hierarchies">, parent: string, id: string): ContainerCgroup {
  const needed = neededHierarchies(hierarchies, {}, ({ mountPoint }) => existsSync(join(mountPoint, parent)));
  return new ContainerCgroup(needed, posix.join(parent, id));
}

/** Kills what is left in it. Rejects with `deadline-exceeded` when that does not go. Fine when it was never made. */
export async function endSandboxCgroup(
  deps: Pick<Deps, "hierarchies" | "signals" | "clock">,
  parent: string,
  id: string,
): Promise<void> {
  const cgroup = new ContainerCgroup(deps.hierarchies, posix.join(parent, id));
  if (!cgroup.exists) return;
  await cgroup.kill((member) => deps.signals.send(member, constants.signals.SIGKILL));
  await cgroup.remove(deps.clock);
}
