// Takes a cluster away, also one whose agent was killed or that was half up: processes, mounts, cgroups, namespace, files.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
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
  unmountBelow(at.dir);
  removeCgroups(at.cgroup);
  removeNetwork(at);
  rmSync(at.dir, { recursive: true, force: true });
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

function unmountBelow(folder) {
  const points = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((point) => point.startsWith(`${folder}/`));
  for (const point of points.toReversed()) spawnSync("umount", ["--lazy", point], { stdio: "inherit" });
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
