import { describe, expect, test } from "@jest/globals";
import { MovedProcesses } from "../../../src/manager/moved-processes.js";
import { aMachine } from "../machine.js";

const PATH = "/kubepods/poda/c1";
const main = { id: "c1", podUid: "a", container: "main", path: PATH };

const nothing = async (): Promise<void> => undefined;

function world(version: "v1" | "v2") {
  const { host, kernel, files, layout } = aMachine(version);
  const roots = version === "v2" ? [""] : ["/cpu", "/memory", "/pids"];
  const folder = (root: string, path: string): string => `/sys/fs/cgroup${root}${path}`;
  for (const root of roots) kernel.addFolder(folder(root, PATH));
  kernel.addFolder("/sys/fs/cgroup/elsewhere");
  for (const root of roots) kernel.addFolder(folder(root, "/elsewhere"));
  const place = (pid: number, path: string, only: readonly string[] = roots): void => {
    for (const root of only) kernel.write(`${folder(root, path)}/cgroup.procs`, String(pid));
    const lines = roots.map((root, index) => {
      const found = ["/elsewhere", PATH, `${PATH}/deeper`].find((one) =>
        (kernel.read(`${folder(root, one)}/cgroup.procs`) ?? "").split("\n").includes(String(pid)),
      );
      return version === "v2" ? `0::${found}` : `${index + 1}:${root.slice(1)}:${found}`;
    });
    kernel.set(`/proc/${pid}/cgroup`, `${lines.join("\n")}\n`);
  };
  const start = (pid: number, birth = 100): void => {
    kernel.set(`/proc/${pid}/stat`, `${pid} (a ) b) S 1${" 0".repeat(17)} ${birth} 0`);
    kernel.set(`/proc/${pid}/comm`, "app\n");
    place(pid, PATH);
  };
  const procs = (root: string, path = PATH): string => (kernel.read(`${folder(root, path)}/cgroup.procs`) ?? "").trim();
  return { host, kernel, files, layout, strays: new MovedProcesses(files, layout), start, place, procs, roots };
}

describe.each(["v1", "v2"] as const)("cgroup %s", (version) => {
  test("a process that was moved out of its container's cgroup is back at the next check", async () => {
    const { strays, start, place, procs, roots } = world(version);
    start(7);
    start(8);
    expect(await strays.look([main], nothing)).toEqual([]);
    place(8, "/elsewhere");
    expect(await strays.look([main], nothing)).toMatchObject([{ pid: 8, command: "app", container: "main" }]);
    for (const root of roots) expect(procs(root)).toBe("7\n8");
    place(7, PATH);
    place(8, PATH);
    expect(await strays.look([main], nothing)).toEqual([]);
  });

  test("one that was moved right after its container's start too", async () => {
    const { strays, start, place } = world(version);
    start(7);
    strays.remember(main);
    place(7, "/elsewhere");
    expect(await strays.look([main], nothing)).toMatchObject([{ pid: 7 }]);
  });

  test("what a container does below its own cgroup is its own affair", async () => {
    const { strays, kernel, start, place, roots } = world(version);
    start(7);
    await strays.look([main], nothing);
    for (const root of roots) kernel.addFolder(`/sys/fs/cgroup${root}${PATH}/deeper`);
    place(7, `${PATH}/deeper`);
    expect(await strays.look([main], nothing)).toEqual([]);
  });

  test("another process that reuses an ended one's pid is not moved", async () => {
    const { strays, kernel, start, place } = world(version);
    start(7);
    await strays.look([main], nothing);
    place(7, "/elsewhere");
    kernel.set("/proc/7/stat", `7 (other) S 1${" 0".repeat(17)} 999 0`);
    expect(await strays.look([main], nothing)).toEqual([]);
  });

  test("one that cannot be moved back is reported with the reason", async () => {
    const { strays, kernel, start, place, roots } = world(version);
    start(7);
    await strays.look([main], nothing);
    place(7, "/elsewhere");
    for (const root of roots) kernel.fail(`/sys/fs/cgroup${root}${PATH}/cgroup.procs`, "ESRCH");
    expect((await strays.look([main], nothing))[0]?.error).toContain("ESRCH");
  });
});

test("on v1 one that is outside in a single hierarchy is brought back there, whichever process it is", async () => {
  const { strays, start, place, procs } = world("v1");
  start(7);
  start(8);
  await strays.look([main], nothing);
  place(8, "/elsewhere", ["/pids"]);
  expect(await strays.look([main], nothing)).toMatchObject([{ pid: 8, found: "/elsewhere (pids)" }]);
  expect(procs("/pids")).toBe("7\n8");
});

test("a cgroup that was deleted is created again before its processes come back, one that ended with its processes is not", async () => {
  const { strays, kernel, start, place, procs } = world("v1");
  start(7);
  await strays.look([main], nothing);
  place(7, "/elsewhere", ["/memory"]);
  const folder = `/sys/fs/cgroup/memory${PATH}`;
  expect(kernel.removeDirectory(folder)).toBe(true);
  const remade: string[] = [];
  const remake = async ({ path }: typeof main): Promise<void> => {
    remade.push(path);
    kernel.addFolder(folder);
  };
  expect(await strays.look([main], remake)).toMatchObject([{ pid: 7, found: "/elsewhere (memory)" }]);
  expect([remade, procs("/memory")]).toEqual([[PATH], "7"]);
  place(7, "/elsewhere", ["/memory"]);
  kernel.removeDirectory(folder);
  kernel.unset("/proc/7/stat");
  expect(await strays.look([main], remake)).toEqual([]);
  expect(remade).toHaveLength(1);
});

test("on v1 the first process is searched in each hierarchy with limits", async () => {
  const { strays, start, place, procs } = world("v1");
  start(7);
  await strays.look([main], nothing);
  place(7, "/elsewhere", ["/memory"]);
  expect(await strays.look([main], nothing)).toMatchObject([{ pid: 7, found: "/elsewhere (memory)" }]);
  expect([procs("/memory"), procs("/memory", "/elsewhere")]).toEqual(["7", ""]);
});
