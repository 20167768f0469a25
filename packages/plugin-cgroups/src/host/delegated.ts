/** The subtree that an agent may use which may not write the machine's cgroups: the one it was started in, as systemd delegates it. */
import { errorText } from "@hooklet/core";
import { type CgroupLayout, cgroupFolder } from "@hooklet/core/rules";
import { ownCgroups } from "@hooklet/linux";
import { readPids } from "./pids.js";
import type { CgroupFiles } from "./port.js";

/** Below the subtree: no cgroup has both processes and children with limits. */
const AGENT = "hooklet-agent";
/** What limits of pods hang on. */
const WANTED = ["cpu", "memory", "pids"];
/** Processes may fork while they are moved. */
const ROUNDS = 3;

export type Delegation =
  | {
      /** cgroupfs path of the subtree. */
      readonly root: string;
      /** Controllers that were not handed down to it. */
      readonly missing: readonly string[];
    }
  | { readonly why: string };

/** Moves all processes of the agent's own cgroup one level deeper. v2 alone: v1 hierarchies are not delegated. */
export function takeDelegated(files: CgroupFiles, layout: CgroupLayout): Delegation {
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
export function delegationText({ root, missing }: Extract<Delegation, { readonly root: string }>): string {
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
