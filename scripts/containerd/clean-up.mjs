// Removes all that an instance made, also after a run that was killed: processes, mounts, cgroups, bridge, NAT rules.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import path from "node:path";
import {
  allPids,
  CGROUPS,
  commandOf,
  foldersIn,
  hierarchies,
  holdsWithin,
  readIfThere,
  removeCgroupTree,
  removeFolder,
  signal,
} from "../machine.mjs";

const RUNC = "/run/containerd/runc";

export async function cleanUp(at) {
  await killContainerd(at);
  const bundles = bundlesOf(at);
  const ids = new Set(bundles.map(({ id }) => id));
  await killShims(at);
  for (const pid of pidsOf(ids)) signal(pid, "SIGKILL");
  await ended(() => pidsOf(ids).length === 0);
  removeCgroups(bundles, ids);
  removeRunState(bundles);
  removeNat(at);
  spawnSync("ip", ["link", "delete", at.bridge], { stdio: "ignore" });
  removeFolder(at.dir);
}

/** Half a minute for what was killed; the steps that follow are tried all the same. */
const ended = (holds) => holdsWithin(30, holds, 20);

/** Also the pid of an instance whose pid file is stale: its command line names our configuration. */
export function containerdPid(at) {
  if (!existsSync(at.pidFile)) return undefined;
  const pid = Number(readFileSync(at.pidFile, "utf8"));
  return commandOf(pid).includes(at.config) ? pid : undefined;
}

export async function killContainerd(at) {
  const pid = containerdPid(at);
  if (pid === undefined) return;
  signal(pid, "SIGKILL");
  await ended(() => containerdPid(at) === undefined);
}

async function killShims(at) {
  const ours = allPids().filter((pid) => {
    const command = commandOf(pid);
    return command[0]?.includes("containerd-shim") && command.includes(at.socket);
  });
  for (const pid of ours) signal(pid, "SIGKILL");
  await ended(() => ours.every((pid) => commandOf(pid).length === 0));
}

/** Everything that containerd ran and has not removed: namespace, id, and the socket of its shim. */
function bundlesOf(at) {
  const tasks = path.join(at.state, "io.containerd.runtime.v2.task");
  return foldersIn(tasks).flatMap((namespace) =>
    foldersIn(path.join(tasks, namespace)).map((id) => {
      const shim = readIfThere(path.join(tasks, namespace, id, "address")).replace("unix://", "");
      return { namespace, id, shim };
    }),
  );
}

/** Processes in a cgroup that is named after one of these containers. */
function pidsOf(ids) {
  return allPids().filter((pid) =>
    readIfThere(`/proc/${pid}/cgroup`)
      .split(/[/\n]/)
      .some((part) => ids.has(part)),
  );
}

/** What runc and the shims keep outside of the instance's folders, shared with the machine's own containerd. */
function removeRunState(bundles) {
  for (const { namespace, id, shim } of bundles) {
    rmSync(path.join(RUNC, namespace, id), { recursive: true, force: true });
    if (shim.startsWith("/run/containerd/s/")) rmSync(shim, { force: true });
  }
  for (const namespace of namespacesOf(bundles)) removeIfEmpty(path.join(RUNC, namespace));
}

function removeCgroups(bundles, ids) {
  if (ids.size === 0) return;
  const walk = (folder, depth) => {
    for (const name of foldersIn(folder)) {
      const below = path.join(folder, name);
      if (ids.has(name)) removeCgroupTree(below);
      else if (depth > 0) walk(below, depth - 1);
    }
  };
  walk(CGROUPS, 5);
  for (const hierarchy of hierarchies())
    for (const namespace of namespacesOf(bundles)) removeIfEmpty(path.join(hierarchy, namespace));
}

const namespacesOf = (bundles) => new Set(bundles.map(({ namespace }) => namespace));

/** Other instances may still use it. */
function removeIfEmpty(folder) {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EBUSY", "ENOTDIR"].includes(error.code)) throw error;
  }
}

/** portmap's chains carry the network's name in a comment. */
function removeNat(at) {
  const rules = spawnSync("iptables", ["-t", "nat", "-S"], { encoding: "utf8" });
  if (rules.status !== 0) return;
  const own = rules.stdout
    .split("\n")
    .filter((rule) => rule.includes(`"${at.network}"`) || rule.includes(`\\"${at.network}\\"`));
  const chains = new Set(own.flatMap((rule) => rule.match(/CNI-DN-[0-9a-f]+/g) ?? []));
  const iptables = (...args) => spawnSync("iptables", ["-t", "nat", ...args], { stdio: "ignore" });
  for (const rule of own) iptables("-D", ...words(rule).slice(1));
  for (const chain of chains) {
    iptables("-F", chain);
    iptables("-X", chain);
  }
}

/** `-A CHAIN --comment "two words"` as arguments. */
function words(rule) {
  return [...rule.matchAll(/"((?:\\.|[^"\\])*)"|(\S+)/g)].map(
    ([, quoted, plain]) => plain ?? quoted.replaceAll(/\\(.)/g, "$1"),
  );
}
