// Takes a cluster away, also one whose agent was killed or that was half up: processes, mounts, cgroups, namespace, files.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync, rmdirSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { agentPid } from "./agent.mjs";
import { processesInside, removeNetwork } from "./network.mjs";

const CGROUPS = "/sys/fs/cgroup";
/** For pods to end by themselves. */
const PATIENCE = 20_000;

export async function down(at) {
  const agent = agentPid(at);
  if (agent !== undefined) {
    // Pods of the API stop with the agent that runs them, the control plane last: its own deletion of pods is of no use any more.
    signal(agent, "SIGINT");
    await ended(() => agentPid(at) === undefined, PATIENCE);
  }
  for (let tries = 0; tries < 5 && processesInside(at).length > 0; tries += 1) {
    for (const pid of processesInside(at)) signal(pid, "SIGKILL");
    await ended(() => processesInside(at).length === 0, 2_000);
  }
  // Nodes that somebody started with files of this cluster, outside of its namespace.
  for (const pid of agentsOf(`${at.dir}/`)) signal(pid, "SIGKILL");
  unmountBelow(at.dir);
  for (const cgroup of [at.cgroup, ...cgroupsOf(`${at.cgroup}-`)]) removeCgroups(cgroup);
  removeNetwork(at);
  // Not across mounts: what could not be unmounted is the machine's own.
  const { status } = spawnSync("rm", ["-rf", "--one-file-system", at.dir], { stdio: "inherit" });
  if (status !== 0) throw new Error(`${at.dir} could not be removed whole: see what is mounted below it, then again`);
}

async function ended(holds, patience) {
  for (const end = performance.now() + patience; !holds() && performance.now() < end; ) await pause(50);
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** Agents whose configuration lies in the folder, and shims of the process runtime that run from it; not whoever only reads there. */
function agentsOf(folder) {
  const names = (words) => words.some((word, i) => word === "--config" && words[i + 1]?.startsWith(folder));
  const isOurs = (words) =>
    (isShell(words[0]) && words[1]?.startsWith(folder)) ||
    words.some((word) => word.startsWith(`--config=${folder}`)) ||
    names(words);
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => isOurs(commandOf(pid))).map(Number);
}

const isShell = (program) => ["sh", "dash", "bash", "busybox"].includes(path.basename(program ?? ""));

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // it has ended
  }
}

function unmountBelow(folder) {
  if (!existsSync(folder)) return;
  // As mountinfo has it: no links in it.
  const real = realpathSync(folder);
  const points = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((point) => point.startsWith(`${real}/`));
  for (const point of points.toReversed()) spawnSync("umount", ["--lazy", point], { stdio: "inherit" });
}

/** Those of its other nodes. */
function cgroupsOf(prefix) {
  const folders = ["", ...readdirSync(CGROUPS)].map((hierarchy) => path.join(CGROUPS, hierarchy));
  const names = folders.filter((folder) => statSync(folder).isDirectory()).flatMap((folder) => readdirSync(folder));
  return [...new Set(names)].map((name) => `/${name}`).filter((name) => name.startsWith(prefix));
}

/** Of cgroup v1 in every hierarchy, of v2 in the one. */
export function removeCgroups(cgroup) {
  for (const hierarchy of ["", ...readdirSync(CGROUPS)]) removeTree(path.join(CGROUPS, hierarchy, cgroup));
}

/** cgroup folders hold files that nobody can remove: only rmdir, from the leaves. */
function removeTree(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(path.join(folder, entry.name));
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!["ENOENT", "EBUSY"].includes(error.code)) throw error;
  }
}
