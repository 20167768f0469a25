/** Below which cgroup the agent keeps its tree. */
import { createHash } from "node:crypto";
import { errorText } from "@hooklet/core";
import { USUAL_ROOT_DIR } from "@hooklet/core/base";
import type { CgroupLayout } from "@hooklet/core/rules";
import { defineSeam } from "@hooklet/core/subsystem";
import { ensureCgroup } from "../apply/make.js";
import { delegationText, takeDelegated } from "../host/delegated.js";
import type { CgroupFiles } from "../host/port.js";
import { type CgroupDriver, cgroupPath } from "../name/name.js";
import { nodeAllocatableRoot } from "../name/tree.js";

/**
 * Without option `cgroupRoot` the machine's default agent has the kubelet's tree, `/kubepods`. Any other agent on the machine has
 * another root dir, and therefore its own tree: two agents in one would undo each other's work.
 */
export function ownRoot(rootDir: string): string {
  if (rootDir === USUAL_ROOT_DIR) return "/";
  return `/hooklet-${createHash("sha256").update(rootDir).digest("hex").slice(0, 10)}`;
}

/** Which of the machine's agents this one is: a simulated machine has only one, wherever its root dir is. */
export const rootOfAgent = defineSeam<(rootDir: string) => string>("@hooklet/plugin-cgroups/root", ownRoot);

export type FoundRoot =
  | {
      readonly root: string;
      /** The message about a delegated subtree in place of the machine's cgroups. */
      readonly delegated?: string;
    }
  | { readonly why: string };

/**
 * Creates the cgroup of all pods to check that it can; otherwise below the subtree delegated to the agent.
 * @param named the option sets that root, so no other one is tried
 */
export function makeRoot(
  files: CgroupFiles,
  layout: CgroupLayout,
  driver: CgroupDriver,
  root: string,
  named: boolean,
): FoundRoot {
  const why = fault(files, layout, driver, root);
  if (why === undefined) return { root };
  if (named || driver !== "cgroupfs") return { why };
  const delegation = takeDelegated(files, layout);
  if ("why" in delegation) return { why: `${why}; ${delegation.why}` };
  const still = fault(files, layout, driver, delegation.root);
  if (still !== undefined) return { why: `${why}; ${still}` };
  return { root: delegation.root, delegated: delegationText(delegation) };
}

/** Why the cgroup of all pods cannot be created there; undefined: it exists. */
function fault(files: CgroupFiles, layout: CgroupLayout, driver: CgroupDriver, root: string): string | undefined {
  try {
    ensureCgroup(files, layout, cgroupPath(nodeAllocatableRoot(root, true), driver));
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
