import { SimulatedHost, VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { readCgroupLayout } from "../../../src/cgroups/cgroup-layout.js";
import { numberAfter, parsePressure, readMemoryUsage, readUsage } from "../../../src/cgroups/cgroup-usage.js";

const MIB = 1024 ** 2;
const POD = "/kubepods/podx";

/** A machine with the cgroup of one pod. */
function aMachine(version: "v1" | "v2") {
  const { kernel } = new SimulatedHost({ clock: new VirtualClock(), cgroups: version });
  const layout = readCgroupLayout(kernel.read("/proc/self/mountinfo") ?? "");
  if (layout === undefined) throw new Error("a simulated machine without cgroups");
  for (const { mountPoint } of layout.hierarchies) kernel.addFolder(`${mountPoint}${POD}`);
  return { kernel, layout };
}

describe("what a cgroup uses", () => {
  test("on v1: the working set is the usage less inactive file pages", () => {
    const { kernel, layout } = aMachine("v1");
    const at = (controller: string, file: string): string => `/sys/fs/cgroup/${controller}${POD}/${file}`;
    kernel.set(at("cpuacct", "cpuacct.usage"), "1500000000\n");
    kernel.set(at("cpu", "cpu.stat"), "nr_periods 10\nnr_throttled 4\nthrottled_time 700\n");
    kernel.set(at("memory", "memory.usage_in_bytes"), `${64 * MIB}\n`);
    // Of the cgroups above: cAdvisor tells a container's own.
    const above = `hierarchical_memory_limit ${100 * MIB}\n`;
    kernel.set(at("memory", "memory.limit_in_bytes"), `${128 * MIB}\n`);
    kernel.set(at("memory", "memory.stat"), `${above}total_rss 5\ntotal_inactive_file ${10 * MIB}\ntotal_pgfault 3\n`);
    kernel.set(at("memory", "memory.oom_control"), "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    kernel.set(at("pids", "pids.current"), "7\n");
    expect(readUsage(kernel, layout, POD, 1000)).toEqual({
      at: 1000,
      path: POD,
      cpu: { usageNanoSeconds: 1_500_000_000, periods: 10, throttledPeriods: 4, throttledNanoSeconds: 700 },
      memory: {
        usageBytes: 64 * MIB,
        workingSetBytes: 54 * MIB,
        rssBytes: 5,
        swapBytes: 0,
        swapLimitBytes: undefined,
        cacheBytes: 0,
        pageFaults: 3,
        majorPageFaults: 0,
        limitBytes: 128 * MIB,
        oomKills: 2,
      },
      pids: 7,
      pressure: {},
    });
  });

  test("on v2: micro-seconds become nano-seconds, and pressure is reported where there is any", () => {
    const { kernel, layout } = aMachine("v2");
    kernel.set(`/sys/fs/cgroup${POD}/cpu.stat`, "usage_usec 5\nnr_periods 1\nnr_throttled 1\nthrottled_usec 2\n");
    kernel.set(`/sys/fs/cgroup${POD}/memory.pressure`, "some avg10=1.00 avg60=0.00 avg300=0.00 total=9\n");
    expect(readUsage(kernel, layout, POD, 0)).toMatchObject({
      cpu: { usageNanoSeconds: 5000, throttledNanoSeconds: 2000 },
      memory: { limitBytes: undefined },
      pressure: { memory: { some: { avg10: 1, total: 9 } } },
    });
  });

  test("without a limit it has none, whatever its parents have", () => {
    const { kernel, layout } = aMachine("v1");
    kernel.set(`/sys/fs/cgroup/memory${POD}/memory.stat`, `hierarchical_memory_limit ${MIB}\n`);
    kernel.set(`/sys/fs/cgroup/memory${POD}/memory.limit_in_bytes`, "9223372036854771712\n");
    expect(readUsage(kernel, layout, POD, 0)?.memory.limitBytes).toBeUndefined();
  });

  test.each([
    ["v1", "/sys/fs/cgroup/memory", "memory.usage_in_bytes"],
    ["v2", "/sys/fs/cgroup", "memory.current"],
  ] as const)("on %s: a missing value is not reported as 0", (version, root, used) => {
    const { kernel, layout } = aMachine(version);
    for (const file of ["memory.stat", used]) kernel.unset(`${root}${POD}/${file}`);
    const { memory } = readUsage(kernel, layout, POD, 0) ?? {};
    const names = ["usageBytes", "workingSetBytes", "rssBytes", "cacheBytes", "pageFaults", "majorPageFaults"] as const;
    expect(names.map((name) => memory?.[name])).toEqual(names.map(() => undefined));
  });

  test.each(["v1", "v2"] as const)("on %s: a cgroup that is gone uses nothing at all", (version) => {
    const { kernel, layout } = aMachine(version);
    expect(readUsage(kernel, layout, "/kubepods/gone", 0)).toBeUndefined();
  });

  test("the root of v2, which has no memory.current, uses anonymous memory and page cache", () => {
    const { kernel, layout } = aMachine("v2");
    kernel.unset("/sys/fs/cgroup/memory.current");
    kernel.set("/sys/fs/cgroup/memory.stat", "anon 2000\nfile 1500\ninactive_file 500\n");
    expect(readMemoryUsage(kernel, layout, "/")).toMatchObject({ usageBytes: 3500, workingSetBytes: 3000 });
    kernel.set("/sys/fs/cgroup/memory.stat", "slab 1\n");
    expect(readMemoryUsage(kernel, layout, "/").usageBytes).toBeUndefined();
  });

  test.each(["", "\n", "lots", "-5\n", "NaN", "max\n"])("a limit of %j is none", (text) => {
    const { kernel, layout } = aMachine("v2");
    kernel.set(`/sys/fs/cgroup${POD}/memory.max`, text);
    expect(readMemoryUsage(kernel, layout, POD).limitBytes).toBeUndefined();
  });
});

const stat = "total_inactive_file_x 7\ninactive_file 1\ntotal_inactive_file 4096\nlast 9";

test.each([
  { name: "a key in the middle", key: "total_inactive_file", value: 4096 },
  { name: "a key that ends another one", key: "inactive_file", value: 1 },
  { name: "the first line", key: "total_inactive_file_x", value: 7 },
  { name: "the last line, without a line break", key: "last", value: 9 },
  { name: "a key that is not there", key: "missing", value: undefined },
  { name: "a key that begins another one", key: "total", value: undefined },
])("$name", ({ key, value }) => {
  expect(numberAfter(stat, key)).toBe(value);
});

describe("pressure", () => {
  test("both lines", () => {
    const text = "some avg10=1.50 avg60=0.20 avg300=0.03 total=123\nfull avg10=0.50 avg60=0.00 avg300=0.00 total=45\n";
    expect(parsePressure(text)).toEqual({
      some: { avg10: 1.5, avg60: 0.2, avg300: 0.03, total: 123 },
      full: { avg10: 0.5, avg60: 0, avg300: 0, total: 45 },
    });
  });

  test("cpu on older kernels has no full line", () => {
    expect(parsePressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")?.full).toBeUndefined();
  });

  test("none where PSI is switched off", () => {
    expect(parsePressure("")).toBeUndefined();
  });
});
