// Takes away all that an instance made, also after a run that was killed: processes, mounts, cgroups, bridge, NAT rules.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import path from "node:path";

const CGROUPS = "/sys/fs/cgroup";
const RUNC = "/run/containerd/runc";

export function cleanUp(at) {
  killContainerd(at);
  const bundles = bundlesOf(at);
  const ids = new Set(bundles.map(({ id }) => id));
  killShims(at);
  for (const pid of pidsOf(ids)) kill(pid);
  waitUntil(() => pidsOf(ids).length === 0);
  unmountBelow(at.dir);
  removeCgroups(bundles, ids);
  removeRunState(bundles);
  removeNat(at);
  spawnSync("ip", ["link", "delete", at.bridge], { stdio: "ignore" });
  rmSync(at.dir, { recursive: true, force: true });
}

/** Also the pid of an instance whose pid file is stale: its command line names our configuration. */
export function containerdPid(at) {
  if (!existsSync(at.pidFile)) return undefined;
  const pid = Number(readFileSync(at.pidFile, "utf8"));
  return commandOf(pid).includes(at.config) ? pid : undefined;
}

export function killContainerd(at) {
  const pid = containerdPid(at);
  if (pid === undefined) return;
  kill(pid);
  waitUntil(() => containerdPid(at) === undefined);
}

function killShims(at) {
  const ours = allPids().filter((pid) => {
    const command = commandOf(pid);
    return command[0]?.includes("containerd-shim") && command.includes(at.socket);
  });
  for (const pid of ours) kill(pid);
  waitUntil(() => ours.every((pid) => commandOf(pid).length === 0));
}

/** Everything that containerd ran and has not taken away: namespace, id, and the socket of its shim. */
function bundlesOf(at) {
  const tasks = path.join(at.state, "io.containerd.runtime.v2.task");
  return entriesOf(tasks).flatMap(({ name: namespace }) =>
    entriesOf(path.join(tasks, namespace)).map(({ name: id }) => {
      const shim = read(path.join(tasks, namespace, id, "address")).replace("unix://", "");
      return { namespace, id, shim };
    }),
  );
}

/** Processes in a cgroup that is named after one of these containers. */
function pidsOf(ids) {
  return allPids().filter((pid) =>
    read(`/proc/${pid}/cgroup`)
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
    for (const entry of entriesOf(folder)) {
      if (!entry.isDirectory() || entry.isSymbolicLink()) continue;
      const below = path.join(folder, entry.name);
      if (ids.has(entry.name)) removeTree(below);
      else if (depth > 0) walk(below, depth - 1);
    }
  };
  walk(CGROUPS, 5);
  for (const { name: controller } of entriesOf(CGROUPS))
    for (const namespace of namespacesOf(bundles)) removeIfEmpty(path.join(CGROUPS, controller, namespace));
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

/** cgroup folders hold files that nobody can remove: only rmdir, from the leaves. */
function removeTree(folder) {
  for (const entry of entriesOf(folder)) if (entry.isDirectory()) removeTree(path.join(folder, entry.name));
  try {
    rmdirSync(folder);
  } catch (error) {
    if (error.code !== "ENOENT") console.error(`cgroup ${folder} stays: ${error.message}`);
  }
}

function unmountBelow(folder) {
  const mounts = read("/proc/self/mountinfo")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((mount) => mount.startsWith(`${folder}/`));
  for (const mount of mounts.reverse()) spawnSync("umount", ["-l", mount], { stdio: "inherit" });
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

const allPids = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
const commandOf = (pid) =>
  read(`/proc/${pid}/cmdline`)
    .split("\0")
    .filter((word) => word !== "");

function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // gone meanwhile
  }
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // gone meanwhile
  }
}

function waitUntil(done) {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < 250 && !done(); tries += 1) Atomics.wait(cell, 0, 0, 20);
}
