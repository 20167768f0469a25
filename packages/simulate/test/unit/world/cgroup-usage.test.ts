/** What cgroups use, in the files in which the kernel would show it. */
import { SimulatedHost, VirtualClock } from "@hooklet/sim";
import { describe, expect, test } from "@jest/globals";
import { CgroupUsage } from "../../../src/world/cgroup-usage.js";

const MIB = 1024 ** 2;
const NOTHING = { memory: 0, pids: 0 };

function world(version: "v1" | "v2") {
  const { kernel } = new SimulatedHost({ clock: new VirtualClock(), cgroups: version });
  const usage = new CgroupUsage(kernel, version, 1_000 * MIB);
  return { kernel, usage, read: (path: string) => kernel.read(`/sys/fs/cgroup${path}`) };
}

describe("cgroups v2", () => {
  test("a cgroup is one folder, with its limit; a process names it in one line", () => {
    const { usage, read } = world("v2");
    expect(usage.foldersOf("/pods/a")).toEqual(["/sys/fs/cgroup/pods/a"]);
    expect(usage.procText("/pods/a")).toBe("0::/pods/a\n");
    usage.make("/pods", undefined);
    usage.make("/pods/a", 7 * MIB);
    expect(read("/pods/a/memory.max")).toBe(String(7 * MIB));
    expect(read("/pods/memory.max")).not.toBe(String(7 * MIB));
  });

  test("what a cgroup uses is shown in it and in all above", () => {
    const { usage, read } = world("v2");
    for (const path of ["/pods", "/pods/a", "/pods/b"]) usage.make(path, undefined);
    usage.set("/pods/a", { memory: 5 * MIB, pids: 2 }, NOTHING);
    usage.set("/pods/b", { memory: MIB }, NOTHING);
    usage.set("/pods/a", { memory: 3 * MIB }, { memory: 5 * MIB, pids: 2 });
    expect(read("/pods/a/memory.current")).toBe(String(3 * MIB));
    expect(read("/pods/memory.current")).toBe(String(4 * MIB));
    expect([read("/pods/a/pids.current"), read("/pods/b/pids.current"), read("/pods/pids.current")]).toEqual([
      "2",
      "0",
      "2",
    ]);
    expect(read("/pods/memory.stat")).toBe(`anon ${4 * MIB}\nfile 0\ninactive_file 0\npgfault 0\npgmajfault 0`);
    expect(read("/memory.stat")).toBe(`anon ${4 * MIB}\nfile 0\ninactive_file 0\npgfault 0\npgmajfault 0`);
    expect(usage.total).toBe(4 * MIB);
  });

  test("a process killed for lack of memory is counted, by the machine and by its cgroup", () => {
    const { kernel, usage, read } = world("v2");
    usage.make("/a", undefined);
    expect(kernel.read("/proc/vmstat")).toBe("oom_kill 0\n");
    const before = Number(/^oom_kill (\d+)/m.exec(read("/a/memory.events") ?? "")?.[1]);
    usage.killed("/a");
    usage.killed("/gone");
    expect(kernel.read("/proc/vmstat")).toBe("oom_kill 2\n");
    expect(read("/a/memory.events")).toMatch(new RegExp(`^oom_kill ${before + 1}$`, "m"));
    expect(read("/gone/memory.events")).toBeUndefined();
  });
});

describe("cgroups v1", () => {
  test("a cgroup is a folder for each controller, with its limit; a process names it in two lines", () => {
    const { usage, read } = world("v1");
    const names = ["cpu", "cpuacct", "cpuset", "memory", "pids", "hugetlb", "freezer", "systemd"];
    expect(usage.foldersOf("/a")).toEqual(names.map((name) => `/sys/fs/cgroup/${name}/a`));
    expect(usage.procText("/a")).toBe("4:memory:/a\n1:name=systemd:/a\n");
    usage.make("/a", 7 * MIB);
    expect(read("/memory/a/memory.limit_in_bytes")).toBe(String(7 * MIB));
  });

  test("what a cgroup uses is shown in it and in all above", () => {
    const { usage, read } = world("v1");
    for (const path of ["/pods", "/pods/a"]) usage.make(path, undefined);
    usage.set("/pods/a", { memory: 5 * MIB, pids: 2 }, NOTHING);
    for (const path of ["/pods", "/pods/a"]) {
      expect(read(`/memory${path}/memory.usage_in_bytes`)).toBe(String(5 * MIB));
      expect(read(`/pids${path}/pids.current`)).toBe("2");
      expect(read(`/memory${path}/memory.stat`)).toBe(
        `total_rss ${5 * MIB}\ntotal_inactive_file 0\ntotal_pgfault 0\ntotal_pgmajfault 0\ntotal_swap 0`,
      );
    }
    expect(read("/memory/memory.usage_in_bytes")).toBe(String(5 * MIB));
  });

  test("a process killed for lack of memory is counted by its cgroup", () => {
    const { usage, read } = world("v1");
    usage.make("/a", undefined);
    usage.killed("/a");
    expect(read("/memory/a/memory.oom_control")).toMatch(/^oom_kill 1$/m);
  });
});

describe.each(["v1", "v2"] as const)("with cgroups %s", (version) => {
  test("the innermost cgroup above its limit is the one that is exceeded; a limit is none where it is no number", () => {
    const { usage } = world(version);
    usage.make("/pods", 10 * MIB);
    usage.make("/pods/a", undefined);
    const set = (memory: number, before: number): void =>
      usage.set("/pods/a", { memory: memory * MIB, pids: 1 }, { memory: before * MIB, pids: before === 0 ? 0 : 1 });
    set(10, 0);
    expect(usage.exceeded("/pods/a")).toBeUndefined();
    set(11, 10);
    expect(usage.exceeded("/pods/a")).toBe("/pods");
    usage.setLimit("/pods/a", 10 * MIB);
    expect([usage.exceeded("/pods/a"), usage.exceeded("/pods"), usage.exceeded("/")]).toEqual([
      "/pods/a",
      "/pods",
      undefined,
    ]);
  });

  test("the machine is exceeded by its pods and its system together", () => {
    const { usage } = world(version);
    usage.make("/a", undefined);
    usage.set("/a", { memory: 600 * MIB }, NOTHING);
    usage.setSystem({ memory: 400 * MIB });
    expect([usage.exceeded("/a"), usage.exceeded("/"), usage.total]).toEqual([undefined, undefined, 1_000 * MIB]);
    usage.setSystem({ memory: 400 * MIB + 1 });
    expect([usage.exceeded("/a"), usage.exceeded("/")]).toEqual(["/", "/"]);
  });

  test("the machine shows its memory in whole KiB, never below none, and its processes", () => {
    const { kernel, usage } = world(version);
    const meminfo = (free: number): string =>
      `MemTotal:       1024000 kB\nMemFree:        ${free} kB\nMemAvailable:   ${free} kB\nInactive(file): 0 kB\nSwapTotal:      0 kB\nSwapFree:       0 kB\n`;
    expect(kernel.read("/proc/meminfo")).toBe(meminfo(1_024_000));
    expect(kernel.read("/proc/loadavg")).toBe("0.00 0.00 0.00 1/100 1\n");
    usage.setSystem({ memory: MIB + 1, pids: 7 });
    expect(kernel.read("/proc/meminfo")).toBe(meminfo(1_024_000 - 1_025));
    expect(kernel.read("/proc/loadavg")).toBe("0.00 0.00 0.00 1/7 1\n");
    expect(usage.system).toEqual({ memory: MIB + 1, pids: 7 });
    usage.setSystem({ memory: 2_000 * MIB });
    expect(kernel.read("/proc/meminfo")).toBe(meminfo(0));
    expect(usage.system).toEqual({ memory: 2_000 * MIB, pids: 7 });
  });

  test("pods count to the machine's processes, also after what the system uses has changed", () => {
    const { kernel, usage } = world(version);
    usage.make("/a", undefined);
    usage.set("/a", { pids: 5 }, NOTHING);
    usage.setSystem({ pids: 10 });
    expect(kernel.read("/proc/loadavg")).toBe("0.00 0.00 0.00 1/15 1\n");
    usage.set("/a", {}, { memory: 0, pids: 5 });
    expect(kernel.read("/proc/loadavg")).toBe("0.00 0.00 0.00 1/15 1\n");
    usage.set("/a", { pids: 0 }, { memory: 0, pids: 5 });
    expect(kernel.read("/proc/loadavg")).toBe("0.00 0.00 0.00 1/10 1\n");
  });

  test("a cgroup that is gone is not made again", () => {
    const { kernel, usage } = world(version);
    usage.make("/a", undefined);
    for (const folder of usage.foldersOf("/a")) kernel.removeDirectory(folder);
    usage.set("/a", { memory: MIB, pids: 1 }, NOTHING);
    for (const folder of usage.foldersOf("/a"))
      for (const name of ["memory.current", "memory.usage_in_bytes", "memory.stat", "pids.current"])
        expect(kernel.read(`${folder}/${name}`)).toBeUndefined();
  });
});
