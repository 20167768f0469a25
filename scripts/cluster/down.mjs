// Takes a cluster away, also one whose agent was killed or that was half up: processes, mounts, cgroups, namespace, files.
import path from "node:path";
import {
  allPids,
  commandOf,
  foldersIn,
  hierarchies,
  holdsWithin,
  removeCgroup,
  removeFolder,
  signal,
} from "../machine.mjs";
import { agentPid } from "./agent.mjs";
import { processesInside, removeNetwork } from "./network.mjs";

/** For pods to end by themselves, seconds. */
const PATIENCE = 20;

export async function down(at) {
  const agent = agentPid(at);
  if (agent !== undefined) {
    // Pods of the API stop with the agent that runs them, the control plane last: its own deletion of pods is of no use any more.
    signal(agent, "SIGINT");
    await holdsWithin(PATIENCE, () => agentPid(at) === undefined);
  }
  for (let tries = 0; tries < 5 && processesInside(at).length > 0; tries += 1) {
    for (const pid of processesInside(at)) signal(pid, "SIGKILL");
    await holdsWithin(2, () => processesInside(at).length === 0);
  }
  // Nodes that a user started with files of this cluster, outside of its namespace.
  const others = agentsOf(`${at.dir}/`);
  for (const pid of others) signal(pid, "SIGKILL");
  await holdsWithin(2, () => others.every((pid) => commandOf(pid).length === 0));
  for (const cgroup of [at.cgroup, ...cgroupsOf(`${at.cgroup}-`)]) removeCgroup(cgroup);
  removeNetwork(at);
  removeFolder(at.dir);
}

/** Agents whose configuration lies in the folder, and shims of the process runtime that run from it; not programs that only read there. */
function agentsOf(folder) {
  const names = (words) => words.some((word, i) => word === "--config" && words[i + 1]?.startsWith(folder));
  const isOurs = (words) =>
    (isShell(words[0]) && words[1]?.startsWith(folder)) ||
    words.some((word) => word.startsWith(`--config=${folder}`)) ||
    names(words);
  return allPids().filter((pid) => isOurs(commandOf(pid)));
}

const isShell = (program) => ["sh", "dash", "bash", "busybox"].includes(path.basename(program ?? ""));

/** Those of its other nodes. */
function cgroupsOf(prefix) {
  const names = hierarchies().flatMap(foldersIn);
  return [...new Set(names)].map((name) => `/${name}`).filter((name) => name.startsWith(prefix));
}
