import { describe, expect, test } from "@jest/globals";
import { Strays } from "../src/manager/strays.js";
import { aMachine } from "./world.js";

const PATH = "/kubepods/poda/c1";
const main = { id: "c1", podUid: "a", container: "main", path: PATH };

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
  return { host, kernel, strays: new Strays(files, layout), start, place, procs, roots };
}

describe.each(["v1", "v2"] as const)("cgroup %s", (version) => {
  test("a process that somebody moved out of its container's cgroup is back at the next look", () => {
    const { strays, start, place, procs, roots } = world(version);
    start(7);
    start(8);
    expect(strays.look([main])).toEqual([]);
    place(8, "/elsewhere");
    expect(strays.look([main])).toMatchObject([{ pid: 8, command: "app", container: "main" }]);
    for (const root of roots) expect(procs(root)).toBe("7\n8");
    place(7, PATH);
    place(8, PATH);
    expect(strays.look([main])).toEqual([]);
  });

  test("one that was moved right after its container's start too", () => {
    const { strays, start, place } = world(version);
    start(7);
    strays.remember(main);
    place(7, "/elsewhere");
    expect(strays.look([main])).toMatchObject([{ pid: 7 }]);
  });

  test("what a container does below its own cgroup is its own affair", () => {
    const { strays, kernel, start, place, roots } = world(version);
    start(7);
    strays.look([main]);
    for (const root of roots) kernel.addFolder(`/sys/fs/cgroup${root}${PATH}/deeper`);
    place(7, `${PATH}/deeper`);
    expect(strays.look([main])).toEqual([]);
  });

  test("another process with the number of one that ended is nobody's", () => {
    const { strays, kernel, start, place } = world(version);
    start(7);
    strays.look([main]);
    place(7, "/elsewhere");
    kernel.set("/proc/7/stat", `7 (other) S 1${" 0".repeat(17)} 999 0`);
    expect(strays.look([main])).toEqual([]);
  });

  test("one that cannot be brought back is told with the reason", () => {
    const { strays, kernel, start, place, roots } = world(version);
    start(7);
    strays.look([main]);
    place(7, "/elsewhere");
    for (const root of roots) kernel.fail(`/sys/fs/cgroup${root}${PATH}/cgroup.procs`, "ESRCH");
    expect(strays.look([main])[0]?.error).toContain("ESRCH");
  });
});

test("on v1 the first process is looked for in each hierarchy that limits something", () => {
  const { strays, start, place, procs } = world("v1");
  start(7);
  strays.look([main]);
  place(7, "/elsewhere", ["/memory"]);
  expect(strays.look([main])).toMatchObject([{ pid: 7, found: "/elsewhere (memory)" }]);
  expect([procs("/memory"), procs("/memory", "/elsewhere")]).toEqual(["7", ""]);
});
