import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { systemClock } from "@hooklet/utils";
import { describe, expect, test } from "@jest/globals";
import { type Killer, killCgroup } from "../../../src/cgroups/remove-cgroup.js";
import { kernelFiles } from "../../../src/kernel/kernel-files.js";
import { nodeHost } from "../../../src/node-host.js";

/** Folders with their files; a file that is read one time after the other can give other pids each time. */
function aTree(files: Record<string, string | readonly string[]>) {
  const writes: string[] = [];
  const reads = new Map<string, number>();
  return {
    writes,
    read: (path: string) => {
      const found = files[path];
      if (typeof found === "string" || found === undefined) return found;
      const time = reads.get(path) ?? 0;
      reads.set(path, time + 1);
      return found[Math.min(time, found.length - 1)];
    },
    write: (path: string, value: string) => {
      if (files[path] === undefined) throw Object.assign(new Error(path), { code: "ENOENT" });
      writes.push(`${path}=${value}`);
    },
    directories: (path: string) => [
      ...new Set(
        Object.keys(files).flatMap((file) => {
          const [name, ...below] = file.startsWith(`${path}/`) ? file.slice(path.length + 1).split("/") : [];
          return name !== undefined && below.length > 0 ? [name] : [];
        }),
      ),
    ],
  };
}

function aKiller() {
  const killed: number[] = [];
  const killer: Killer = {
    identify: (pid) => ({ pid, startTicks: "1" }),
    kill: async ({ pid }) => {
      killed.push(pid);
      return true;
    },
  };
  return { killed, killer };
}

describe("killing what is in a cgroup", () => {
  test("a pid that has left it before the kill is not hit", async () => {
    // Listed, listed to be checked, listed again: 7 has gone meanwhile, and another process has its pid.
    const tree = aTree({ "/pids/a/cgroup.procs": ["7\n8\n", "7\n8\n", "8\n"] });
    const { killed, killer } = aKiller();
    expect(await killCgroup(tree, ["/pids/a"], killer)).toEqual([8]);
    expect(killed).toEqual([8]);
  });

  test("v1: all hierarchies, and nested cgroups, are frozen meanwhile; a cgroup that a container froze itself ends too", async () => {
    const tree = aTree({
      "/pids/a/cgroup.procs": "7\n",
      "/pids/a/b/cgroup.procs": "8\n",
      "/freezer/a/cgroup.procs": "7\n9\n",
      "/freezer/a/freezer.state": "THAWED\n",
      "/freezer/a/c/cgroup.procs": "",
      "/freezer/a/c/freezer.state": "FROZEN\n",
    });
    const { killer } = aKiller();
    expect((await killCgroup(tree, ["/pids/a", "/freezer/a"], killer)).toSorted()).toEqual([7, 8, 9]);
    expect(tree.writes).toEqual([
      "/freezer/a/freezer.state=FROZEN",
      "/freezer/a/freezer.state=THAWED",
      "/freezer/a/c/freezer.state=THAWED",
    ]);
  });

  test("a cgroup whose processes may not be killed is not left frozen", async () => {
    const tree = aTree({ "/freezer/a/cgroup.procs": "7\n", "/freezer/a/freezer.state": "THAWED\n" });
    const killer = { ...aKiller().killer, kill: () => Promise.reject(new Error("7: kill EPERM")) };
    await expect(killCgroup(tree, ["/freezer/a"], killer)).rejects.toThrow("7: kill EPERM");
    expect(tree.writes.at(-1)).toBe("/freezer/a/freezer.state=THAWED");
  });

  test("v2: the kernel kills them itself, and no pid is used", async () => {
    const tree = aTree({ "/a/cgroup.procs": "", "/a/cgroup.kill": "", "/a/b/cgroup.procs": "7\n" });
    const { killed, killer } = aKiller();
    expect(await killCgroup(tree, ["/a"], killer)).toEqual([7]);
    expect(tree.writes).toEqual(["/a/cgroup.kill=1"]);
    expect(killed).toEqual([]);
  });

  test("v2 of a kernel before 5.14, which has no cgroup.kill: one by one", async () => {
    const tree = aTree({ "/a/cgroup.procs": "7\n", "/a/b/cgroup.procs": "8\n" });
    expect((await killCgroup(tree, ["/a"], aKiller().killer)).toSorted()).toEqual([7, 8]);
  });

  test("an empty cgroup is not touched, nor one that is not there", async () => {
    const tree = aTree({ "/a/cgroup.procs": "", "/a/cgroup.kill": "" });
    expect(await killCgroup(tree, ["/a", "/b"], aKiller().killer)).toEqual([]);
    expect(tree.writes).toEqual([]);
  });

  test("processes of another PID namespace, which have no pid here, are not mistaken for the agent's group", async () => {
    const tree = aTree({ "/pids/a/cgroup.procs": "0\n1\n" });
    const { killed, killer } = aKiller();
    expect(await killCgroup(tree, ["/pids/a"], killer)).toEqual([]);
    expect(killed).toEqual([]);
  });
});

/** Where a cgroup can be made here: pids and freezer of v1, or v2. */
const roots = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup/freezer", "/sys/fs/cgroup"].filter(
  (root) => kernelFiles.read(`${root}/cgroup.procs`) !== undefined,
);
const withCgroups = process.getuid?.() === 0 && roots.length > 0 ? test : test.skip;

withCgroups("on this machine: all processes in a cgroup and below it end, and no others", async () => {
  const name = `hooklet-kill-${process.pid}`;
  const folders = roots.map((root) => `${root}/${name}`);
  for (const folder of folders) for (const one of [folder, `${folder}/below`]) kernelFiles.makeDirectory(one);
  const put = (child: ChildProcess, below: string) => {
    for (const folder of folders) kernelFiles.write(`${folder}${below}/cgroup.procs`, String(child.pid));
  };
  const inside = spawn("sleep", ["300"]);
  const below = spawn("sleep", ["300"]);
  const outside = spawn("sleep", ["300"]);
  put(inside, "");
  put(below, "/below");
  const ended = Promise.all([once(inside, "exit"), once(below, "exit")]);
  const killed = await nodeHost(systemClock).killCgroup(folders);
  expect(killed.toSorted()).toEqual([inside.pid, below.pid].toSorted());
  expect(await ended).toEqual([
    [null, "SIGKILL"],
    [null, "SIGKILL"],
  ]);
  expect(outside.signalCode).toBeNull();
  outside.kill("SIGKILL");
  for (const folder of folders) for (const one of [`${folder}/below`, folder]) kernelFiles.removeDirectory(one);
});
