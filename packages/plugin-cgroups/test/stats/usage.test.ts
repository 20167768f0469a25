import { describe, expect, test } from "@jest/globals";
import { ensureCgroup } from "../../src/apply/make.js";
import { readCpuTimes } from "../../src/stats/cpu-time.js";
import { readNodeUsage } from "../../src/stats/node.js";
import { readTree } from "../../src/stats/pass.js";
import { nanoCoresBetween, podStatistics } from "../../src/stats/summary.js";
import { readUsage } from "../../src/stats/usage.js";
import { aMachine } from "../machine.js";
import { aPod, both, MIB } from "../world.js";

const POD = "/kubepods/podx";

describe("what a cgroup uses", () => {
  test("on v1: the working set is what is used less file pages that nobody touches", () => {
    const { kernel, files, layout } = aMachine("v1");
    ensureCgroup(files, layout, POD);
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
    expect(readUsage(files, layout, POD, 1000)).toEqual({
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

  test("on v2: micro-seconds become nano-seconds, and pressure is told where there is any", () => {
    const { kernel, files, layout } = aMachine("v2");
    ensureCgroup(files, layout, POD);
    kernel.set(`/sys/fs/cgroup${POD}/cpu.stat`, "usage_usec 5\nnr_periods 1\nnr_throttled 1\nthrottled_usec 2\n");
    kernel.set(`/sys/fs/cgroup${POD}/memory.pressure`, "some avg10=1.00 avg60=0.00 avg300=0.00 total=9\n");
    expect(readUsage(files, layout, POD, 0)).toMatchObject({
      cpu: { usageNanoSeconds: 5000, throttledNanoSeconds: 2000 },
      memory: { limitBytes: undefined },
      pressure: { memory: { some: { avg10: 1, total: 9 } } },
    });
  });

  test("without a limit of its own it has none, whatever those above have", () => {
    const { kernel, files, layout } = aMachine("v1");
    ensureCgroup(files, layout, POD);
    kernel.set(`/sys/fs/cgroup/memory${POD}/memory.stat`, `hierarchical_memory_limit ${MIB}\n`);
    kernel.set(`/sys/fs/cgroup/memory${POD}/memory.limit_in_bytes`, "9223372036854771712\n");
    expect(readUsage(files, layout, POD, 0)?.memory.limitBytes).toBeUndefined();
  });

  test.each([
    ["v1", "/sys/fs/cgroup/memory"],
    ["v2", "/sys/fs/cgroup"],
  ] as const)("on %s: what the kernel does not tell is not told as 0", (version, root) => {
    const { kernel, files, layout } = aMachine(version);
    ensureCgroup(files, layout, POD);
    kernel.unset(`${root}${POD}/memory.stat`);
    const { rssBytes, cacheBytes, pageFaults, majorPageFaults } = readUsage(files, layout, POD, 0)?.memory ?? {};
    expect([rssBytes, cacheBytes, pageFaults, majorPageFaults]).toEqual([undefined, undefined, undefined, undefined]);
  });

  test.each(["v1", "v2"] as const)("on %s: a cgroup that is gone uses nothing at all", (version) => {
    const { files, layout } = aMachine(version);
    expect(readUsage(files, layout, "/kubepods/gone", 0)).toBeUndefined();
  });

  test("the node of v2, whose root has no memory files, is read from meminfo", () => {
    const { kernel, files, layout } = aMachine("v2");
    kernel.unset("/sys/fs/cgroup/memory.current");
    kernel.set("/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 400 kB\nInactive(file): 100 kB\n");
    expect(readNodeUsage(files, layout, 0)?.memory).toMatchObject({
      usageBytes: 600 * 1024,
      workingSetBytes: 500 * 1024,
    });
  });
});

describe("usage per second", () => {
  const usage = (at: number, usageNanoSeconds: number) => {
    const { files, layout } = aMachine("v1");
    const read = readUsage(files, layout, "/", at);
    if (read === undefined) throw new Error("no root cgroup");
    return { ...read, cpu: { ...read.cpu, usageNanoSeconds } };
  };
  const times = (at: number, nanoSeconds: number) => ({ at, nanoSeconds: new Map([["/", nanoSeconds]]) });

  test("is what came on, divided by the time between", () => {
    expect(nanoCoresBetween(times(1000, 100), usage(3000, 1_000_000_100))).toBe(500_000_000);
  });

  test("is not told of a first reading, nor when the counter began anew", () => {
    expect(nanoCoresBetween(undefined, usage(3000, 5))).toBeUndefined();
    expect(nanoCoresBetween({ at: 1000, nanoSeconds: new Map() }, usage(3000, 5))).toBeUndefined();
    expect(nanoCoresBetween(times(1000, 100), usage(3000, 50))).toBeUndefined();
    expect(nanoCoresBetween(times(1000, 100), usage(1000, 200))).toBeUndefined();
  });

  test.each(["v1", "v2"] as const)(
    "is taken against CPU time alone, the same that a whole reading has (%s)",
    (version) => {
      const { kernel, files, layout } = aMachine(version);
      ensureCgroup(files, layout, POD);
      const file = version === "v1" ? `cpuacct${POD}/cpuacct.usage` : `${POD.slice(1)}/cpu.stat`;
      kernel.set(`/sys/fs/cgroup/${file}`, version === "v1" ? "7000\n" : "usage_usec 7\nnr_periods 0\n");
      const { nanoSeconds } = readCpuTimes(files, layout, [POD, "/kubepods/gone"], 5);
      expect([...nanoSeconds]).toEqual([[POD, 7000]]);
      expect(readUsage(files, layout, POD, 5)?.cpu.usageNanoSeconds).toBe(7000);
    },
  );
});

const nothingElse = {
  networks: new Map(),
  disks: { disks: new Map(), layers: new Map() },
  nodeFs: undefined,
  containerFs: undefined,
  swapBytes: 0,
};

test("pods and their containers are told in the Summary's words; a container without a cgroup is left out", () => {
  const { kernel, files, layout } = aMachine("v1");
  const pod = aPod("a", [both({ cpu: "1", memory: "64Mi" })]);
  const path = "/kubepods/poduid-a";
  ensureCgroup(files, layout, `${path}/id1`);
  kernel.set(`/sys/fs/cgroup/memory${path}/id1/memory.usage_in_bytes`, String(MIB));
  const tree = readTree(
    files,
    layout,
    {
      kubepods: "/kubepods",
      qosPaths: { Guaranteed: "/kubepods", Burstable: "/kubepods/burstable", BestEffort: "/kubepods/besteffort" },
      pods: [{ uid: "uid-a", path, containers: ["id1", "id2"] }],
      containerName: (id) => id,
    },
    1_700_000_000_000,
  );
  const containers = [
    { name: "main", id: "id1", startedAt: 1_699_999_999_000 },
    { name: "other", id: "id2", startedAt: 1_699_999_999_000 },
  ];
  expect(podStatistics({ ...nothingElse, tree, before: undefined, pods: [{ pod, containers }] })).toMatchObject([
    {
      podRef: { name: "a", namespace: "default", uid: "uid-a" },
      containers: [
        {
          name: "main",
          startTime: "2023-11-14T22:13:19Z",
          cpu: { time: "2023-11-14T22:13:20Z", usageCoreNanoSeconds: 0 },
          memory: { usageBytes: MIB, workingSetBytes: MIB },
        },
      ],
      process_stats: { process_count: 0 },
    },
  ]);
});
