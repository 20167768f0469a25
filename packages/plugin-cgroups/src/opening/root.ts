/** Below which cgroup the agent keeps its tree. */

import { createHash } from "node:crypto";
import { errorText } from "@hooklet/core";
import { USUAL_ROOT_DIR } from "@hooklet/core/base";
import { type CgroupLayout, cgroupFolder } from "@hooklet/core/rules";
import { defineSeam } from "@hooklet/core/subsystem";
import { ownCgroups } from "@hooklet/linux";
import { ensureCgroup } from "../apply/cgroup.js";
import { type CgroupFiles, readPids } from "../host/cgroup-files.js";
import { type CgroupDriver, cgroupPath, nodeAllocatableRoot } from "../name/name.js";

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

type FoundRoot =
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

// The subtree that an agent may use which may not write the machine's cgroups: the one it was started in, as systemd delegates it.

/** Below the subtree: no cgroup has both processes and children with limits. */
const AGENT = "hooklet-agent";
/** What limits of pods hang on. */
const WANTED = ["cpu", "memory", "pids"];
/** Processes may fork while they are moved. */
const ROUNDS = 3;

type Delegation =
  | {
      /** cgroupfs path of the subtree. */
      readonly root: string;
      /** Controllers that were not handed down to it. */
      readonly missing: readonly string[];
    }
  | { readonly why: string };

/** Moves all processes of the agent's own cgroup one level deeper. v2 alone: v1 hierarchies are not delegated. */
function takeDelegated(files: CgroupFiles, layout: CgroupLayout): Delegation {
  if (layout.version !== "v2") return { why: "cgroup v1 has no delegation" };
  const [, own = "/"] =
    ownCgroups(files.read("/proc/self/cgroup") ?? "").find(([controllers]) => controllers === "") ?? [];
  const root = own.endsWith(`/${AGENT}`) ? own.slice(0, -AGENT.length - 1) : own;
  const folder = cgroupFolder(layout, "", root);
  if (root === "" || root === "/" || folder === undefined) return { why: "the agent is in no cgroup of its own" };
  try {
    files.makeDirectory(`${folder}/${AGENT}`);
    for (let round = 0; round < ROUNDS; round++) {
      for (const pid of readPids(files, `${folder}/cgroup.procs`)) moveIfThere(files, `${folder}/${AGENT}`, pid);
    }
  } catch (error) {
    return { why: `cgroup ${root} is not delegated: ${errorText(error)}` };
  }
  const there = (files.read(`${folder}/cgroup.controllers`) ?? "").split(/\s+/);
  return { root, missing: WANTED.filter((name) => !there.includes(name)) };
}

/** The message about it. */
function delegationText({ root, missing }: Extract<Delegation, { readonly root: string }>): string {
  const text = `cgroups are kept below ${root}, which is delegated to the agent`;
  return missing.length === 0 ? text : `${text}, without ${missing.join(", ")}: these limits are not enforced`;
}

/** It may have ended meanwhile. @throws Error with `code` for any other reason */
function moveIfThere(files: CgroupFiles, folder: string, pid: number): void {
  try {
    files.write(`${folder}/cgroup.procs`, String(pid));
  } catch (error) {
    if ((error as { readonly code?: string }).code !== "ESRCH") throw error;
  }
}
