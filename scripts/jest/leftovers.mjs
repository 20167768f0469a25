// What a run of tests leaves when it is interrupted: programs, containers, folders. All of it is known by the run's own folder, which is
// the TMPDIR of all that it starts; what other runs and programs have started is never touched.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { containerdPid } from "../containerd/clean-up.mjs";
import { instances, layout } from "../containerd/config.mjs";
import {
  allPids,
  commandOf,
  foldersIn,
  hierarchies,
  holdsWithin,
  removeCgroup,
  signal,
  unmountBelow,
} from "../machine.mjs";
import { root } from "../pnpm.mjs";

/** Folders of tests lie as deep as this below the run's own. */
const DEPTH = 5;
/** Seconds for what was killed, on a busy machine too. */
const PATIENCE = 60;
/** The programs of runtime-process that may outlive their records: not an editor with a file of a test. */
const SHIM = /\/(?:shim|starter|inner)-[0-9a-f]{12}\.sh$/;

/** Ends and removes all of it, the folder too; each step whatever became of the others. @throws AggregateError naming what does not go */
export async function takeAway(folder) {
  const failures = [];
  const tried = async (step) => {
    try {
      return await step();
    } catch (error) {
      failures.push(error);
    }
  };
  const containerds = instances().filter((name) => isOf(folder, containerdPid(layout(name))));
  await tried(() => killAll(() => allPids().filter((pid) => isOf(folder, pid))));
  for (const name of containerds) await tried(() => stopContainerd(name));
  for (const rootDir of (await tried(() => rootDirs(folder))) ?? []) await tried(() => removeContainers(rootDir));
  // Where the records of a container were damaged, its shim is known by its command line.
  await tried(() => killAll(() => allPids().filter((pid) => isShimOf(folder, pid))));
  await tried(() => unmountBelow(folder));
  await tried(async () => (await built("linux/dist/index.js")).removeTree(folder));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join("; "));
}

function stopContainerd(name) {
  // It was killed above: who lives there now has taken the name since.
  if (containerdPid(layout(name)) !== undefined) return;
  const words = [path.join(root, "scripts/containerd.mjs"), "stop", "--name", name];
  const { status } = spawnSync(process.execPath, words, { stdio: "inherit" });
  if (status !== 0)
    throw new Error(`containerd ${name} could not be removed: node scripts/containerd.mjs stop --name ${name}`);
}

const isShimOf = (folder, pid) => commandOf(pid).some((word) => word.startsWith(`${folder}/`) && SHIM.test(word));

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
  try {
    return foldersIn(folder).flatMap((name) => rootDirs(path.join(folder, name), depth - 1));
  } catch (error) {
    // A test's closed folder, or a file system whose program was just killed.
    if (["EACCES", "ENOTCONN", "EIO"].includes(error.code)) return [];
    throw error;
  }
}

/** As an agent would, at once; then the cgroups that its plugin made. */
async function removeContainers(rootDir) {
  const { systemClock } = await built("utils/dist/index.js");
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
