// What scripts and stories do with the machine they run on: waits, programs that must succeed, processes, mounts, cgroups (Linux).
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export const CGROUPS = "/sys/fs/cgroup";

/** Looks every so many milliseconds, at least once; false when it did not hold within so many seconds. */
export async function holdsWithin(seconds, holds, every = 100) {
  for (const end = performance.now() + seconds * 1000; !(await holds()); await pause(every))
    if (performance.now() > end) return false;
  return true;
}

/** The time is for a busy machine, or one without KVM. `hint`: asked when it is over. @throws Error when it does not hold in time, and what `holds` throws */
export async function until(what, holds, { seconds = 120, every = 200, hint } = {}) {
  if (await holdsWithin(seconds, holds, every)) return;
  throw new Error(`waited ${seconds} s in vain until ${what}${hint === undefined ? "" : `; ${hint()}`}`);
}

/** What the program printed; what it said on stderr is passed on. @throws Error with that when it fails */
export function must(program, ...args) {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 2 ** 26,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status ?? signal}: ${stderr.trim()}`);
  process.stderr.write(stderr);
  return stdout;
}

export function allPids() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** The words of its command line; none once it has ended. */
export function commandOf(pid) {
  return readIfThere(`/proc/${pid}/cmdline`)
    .split("\0")
    .filter((word) => word !== "");
}

/** To a process that may have ended. */
export function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** Empty when it is not there, or is gone while it is read, as files of /proc are. */
export function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (!["ENOENT", "ESRCH"].includes(error.code)) throw error;
    return "";
  }
}

/** Where something is mounted below the folder, in the order of mounting. @throws Error when the folder is a link: what it points to is not its own */
export function mountsBelow(folder) {
  if (!existsSync(folder)) return [];
  if (lstatSync(folder).isSymbolicLink())
    throw new Error(`${folder} is a link: expected a folder; look whose it is, and remove it`);
  // As mountinfo has them: no links in them, blanks and backslashes as octal numbers.
  const real = realpathSync(folder);
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .map((point) => point.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8))))
    .filter((point) => point.startsWith(`${real}/`));
}

/** From the innermost on. What stays is reported on stderr. */
export function unmountBelow(folder) {
  const points = mountsBelow(folder);
  // Else the machine's own mounts, of which these may be shared binds, would go with them.
  for (const point of points) spawnSync("mount", ["--make-private", point], { stdio: "inherit" });
  for (const point of points.toReversed()) spawnSync("umount", ["--lazy", point], { stdio: "inherit" });
}

/** With what is mounted below it; refused while a mount stays, which would be emptied with it. @throws Error when it is not gone whole */
export function removeFolder(folder) {
  unmountBelow(folder);
  const left = mountsBelow(folder);
  if (left.length > 0)
    throw new Error(`${folder} was not removed: ${left.join(", ")} could not be unmounted; unmount it, then again`);
  const { status } = spawnSync("rm", ["-rf", "--one-file-system", folder], { stdio: "inherit" });
  if (status !== 0) throw new Error(`${folder} could not be removed whole: see what is mounted below it, then again`);
}

/** Folders of all hierarchies: with cgroup v1 one for each controller, with v2 the one. */
export function hierarchies() {
  if (existsSync(path.join(CGROUPS, "cgroup.procs"))) return [CGROUPS];
  return foldersIn(CGROUPS).map((name) => path.join(CGROUPS, name));
}

/** A cgroup, as `/name`, in every hierarchy. @throws Error for the root: all idle cgroups of the machine are below it */
export function removeCgroup(cgroup) {
  if (!/^\/[^/]/.test(cgroup)) throw new Error(`${JSON.stringify(cgroup)} is no cgroup to remove: expected /NAME`);
  for (const hierarchy of hierarchies()) removeCgroupTree(path.join(hierarchy, cgroup));
}

/** Its files cannot be removed: only rmdir, from the leaves. One that stays, as it is in use, is reported on stderr. */
export function removeCgroupTree(folder) {
  for (const name of foldersIn(folder)) removeCgroupTree(path.join(folder, name));
  try {
    rmdirSync(folder);
  } catch (error) {
    if (error.code !== "ENOENT") console.error(`cgroup ${folder} stays: ${error.message}`);
  }
}

/** Names of the folders in a folder, links aside; none when it is not there. */
export function foldersIn(folder) {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return [];
  }
}
