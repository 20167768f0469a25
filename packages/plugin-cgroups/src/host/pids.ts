/** Processes of a cgroup. */
import { NodeAgentError } from "@hooklet/core";
import type { CgroupFiles } from "./port.js";

/** The pids of one cgroup.procs; none when it is not there. @throws Error in the kubelet's words on a line that is no number */
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

/** Those of a cgroup and of all below it, in all the folders given (one per hierarchy), each once. */
export function pidsBelow(files: Pick<CgroupFiles, "read" | "directories">, folders: readonly string[]): number[] {
  const pids = new Set<number>();
  const open = [...folders];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const pid of readPids(files, `${folder}/cgroup.procs`)) pids.add(pid);
    for (const name of files.directories(folder)) open.push(`${folder}/${name}`);
  }
  return [...pids];
}
