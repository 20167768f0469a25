/** Processes of a cgroup. */
import { NodeAgentError } from "@hooklet/core";
import type { CgroupFiles } from "./port.js";

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
