// What a run of tests leaves when it is interrupted: programs, containers, folders. All of it is known by the run's own folder, which is
// the TMPDIR of all that it starts; what other runs and programs have started is never touched.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { containerdPid } from "../containerd/clean-up.mjs";
import { instances, layout } from "../containerd/config.mjs";
import { allPids, commandOf, hierarchies, holdsWithin, removeCgroup, signal, unmountBelow } from "../machine.mjs";
import { root } from "../pnpm.mjs";

/** Folders of tests lie as deep as this below the run's own. */
const DEPTH = 5;
/** Seconds for what was killed. */
const PATIENCE = 10;

/** Ends and removes all of it, the folder too. @throws Error naming what does not go */
export async function takeAway(folder) {
  const containerds = instances().filter((name) => isOf(folder, containerdPid(layout(name))));
  await killAll(() => allPids().filter((pid) => isOf(folder, pid)));
  for (const name of containerds) {
    spawnSync(process.execPath, [path.join(root, "scripts/containerd.mjs"), "stop", "--name", name], {
      stdio: "inherit",
    });
  }
  for (const rootDir of rootDirs(folder)) await removeContainers(rootDir);
  // Where the records of a container were damaged, its shim is known by its command line.
  await killAll(() => allPids().filter((pid) => commandOf(pid).some((word) => word.startsWith(`${folder}/`))));
  unmountBelow(folder);
  const { removeTree } = await built("core/dist/host.js");
  await removeTree(folder);
}

/** Whether the process was started by the run, or by what it started. */
function isOf(folder, pid) {
  if (pid === undefined || pid === process.pid) return false;
  try {
    const words = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return words.some((word) => word === `TMPDIR=${folder}` || word.startsWith(`TMPDIR=${folder}/`));
  } catch (error) {
    // It has ended, or it is another user's.
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(error.code)) return false;
    throw error;
  }
}

/** What is killed may have started something else meanwhile. */
async function killAll(find) {
  const gone = await holdsWithin(PATIENCE, () => {
    const found = find();
    for (const pid of found) signal(pid, "SIGKILL");
    return found.length === 0;
  });
  if (!gone) throw new Error(`processes ${find().join(", ")} did not end ${PATIENCE} s after KILL`);
}

/** Of agents on local processes. */
function rootDirs(folder, depth = DEPTH) {
  if (existsSync(path.join(folder, "runtime-process/containers"))) return [folder];
  if (depth === 0) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => rootDirs(path.join(folder, name), depth - 1));
}

/** As an agent would, at once; then the cgroups that its plugin made. */
async function removeContainers(rootDir) {
  const { systemClock } = await built("core/dist/base.js");
  const { pino } = await import("pino");
  const { default: factory } = await built("runtime-process/dist/index.js");
  const { ownRoot } = await built("plugin-cgroups/dist/opening/root.js");
  const context = { clock: systemClock, log: pino({ level: "silent" }), rootDir, nodeName: "none" };
  const runtime = factory.create(context, factory.options.parse({}));
  await runtime.start();
  try {
    for (const { id } of await runtime.listContainers()) {
      await runtime.stopContainer(id, 0);
      await runtime.removeContainer(id);
    }
    for (const { id } of await runtime.listSandboxes()) {
      await runtime.stopSandbox(id);
      await runtime.removeSandbox(id);
    }
  } finally {
    await runtime.close();
  }
  const cgroup = ownRoot(rootDir);
  if (hierarchies().some((one) => existsSync(path.join(one, cgroup)))) removeCgroup(cgroup);
}

/** Of a package of the workspace; tests that start agents need the build as well. */
const built = (file) => import(path.join(root, "packages", file));
