import { describe, expect, test } from "@jest/globals";
import { bootTime, nodeMemory, nodeSummary, readNodeUsage } from "../../src/node-usage.js";
import { aUsage } from "./usages.js";
import { aMachine, MIB } from "./world.js";

const PODS = "/kubepods";
const meminfo = "MemTotal: 8388608 kB\nMemFree: 100000 kB\nSwapTotal: 2048 kB\nSwapFree: 1024 kB\n";

/** A machine of 8 GiB; the root cgroup uses 3000 MiB, of which 1000 MiB are inactive, all pods 500 and 100. */
function machine(version: "v1" | "v2", limit: string) {
  const found = aMachine(version);
  const { kernel, addCgroup } = found;
  addCgroup(PODS);
  const root = version === "v1" ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
  kernel.set("/proc/meminfo", meminfo);
  if (version === "v1") {
    kernel.set(`${root}/memory.usage_in_bytes`, `${3000 * MIB}\n`);
    kernel.set(`${root}/memory.limit_in_bytes`, "9223372036854771712\n");
    kernel.set(`${root}/memory.stat`, `cache 1\ninactive_file 5\ntotal_inactive_file ${1000 * MIB}\n`);
    kernel.set(`${root}${PODS}/memory.usage_in_bytes`, `${500 * MIB}\n`);
    kernel.set(`${root}${PODS}/memory.stat`, `total_inactive_file ${100 * MIB}\n`);
    kernel.set(`${root}${PODS}/memory.limit_in_bytes`, limit);
  } else {
    kernel.unset(`${root}/memory.current`);
    kernel.unset(`${root}/memory.max`);
    kernel.set(`${root}/memory.stat`, `anon ${2000 * MIB}\nfile ${1000 * MIB}\ninactive_file ${1000 * MIB}\n`);
    kernel.set(`${root}${PODS}/memory.current`, `${500 * MIB}\n`);
    kernel.set(`${root}${PODS}/memory.stat`, `anon 1\ninactive_file ${100 * MIB}\n`);
    kernel.set(`${root}${PODS}/memory.max`, limit);
  }
  return found;
}

describe.each(["v1", "v2"] as const)("on %s", (version) => {
  const read = (limit: string) => {
    const { kernel, layout } = machine(version, limit);
    return nodeMemory(kernel, layout, PODS, 0);
  };

  test("memory of the node is what the root cgroup uses less inactive page cache, the same in a whole reading", () => {
    const { kernel, layout } = machine(version, "max");
    const { memory } = nodeMemory(kernel, layout, undefined, 0);
    expect(memory).toMatchObject({
      time: "1970-01-01T00:00:00Z",
      usageBytes: 3000 * MIB,
      workingSetBytes: 2000 * MIB,
      availableBytes: (8192 - 2000) * MIB,
    });
    expect(readNodeUsage(kernel, layout, 0)?.memory).toMatchObject({
      usageBytes: 3000 * MIB,
      workingSetBytes: 2000 * MIB,
    });
  });

  test("memory of all pods is counted against the limit of their cgroup", () => {
    expect(read(`${1024 * MIB}\n`).systemContainers).toMatchObject([
      { name: "pods", memory: { workingSetBytes: 400 * MIB, availableBytes: 624 * MIB } },
    ]);
  });

  test("over its limit there is nothing left, not less", () => {
    expect(read(`${300 * MIB}\n`).systemContainers?.[0]?.memory?.availableBytes).toBe(0);
  });

  test.each(["max\n", "9223372036854771712\n", "", "-5\n"])("a limit of %j is none: nothing is available", (limit) => {
    expect(read(limit).systemContainers?.[0]?.memory).not.toHaveProperty("availableBytes");
  });

  test("a missing file of the kernel gives no amount", () => {
    const { kernel, layout } = machine(version, "max");
    for (const file of ["memory/memory.usage_in_bytes", "memory/memory.stat", "memory.stat"]) {
      kernel.unset(`/sys/fs/cgroup/${file}`);
    }
    expect(nodeMemory(kernel, layout, undefined, 0).memory).toEqual({ time: "1970-01-01T00:00:00Z" });
  });
});

test("swap of a v2 machine is in /proc/meminfo", () => {
  const { kernel, layout } = machine("v2", "max");
  expect(readNodeUsage(kernel, layout, 0)?.memory.swapBytes).toBe(MIB);
});

describe("the node as a whole", () => {
  const files = (texts: Readonly<Record<string, string>>) => ({
    ...aMachine("v2").kernel,
    read: (file: string) => texts[file],
  });
  const input = {
    usage: undefined,
    before: undefined,
    capacityBytes: 100,
    nodeName: "node1",
    startedAt: 1_000,
    network: undefined,
  };
  const times = { nodeName: "node1", startTime: "1970-01-01T00:00:01Z" };

  test("has the machine's swap, its processes and their limit", () => {
    const of = files({ "/proc/meminfo": meminfo, "/proc/loadavg": "0.1 0.2 0.3 2/345 678\n" }) as never;
    const time = "1970-01-01T00:00:09Z";
    expect(nodeSummary(of, input, 9_000, 32_768)).toEqual({
      ...times,
      rlimit: { time, maxpid: 32_768, curproc: 345 },
      swap: { time, swapAvailableBytes: MIB, swapUsageBytes: MIB },
    });
  });

  test("has what it uses of processors and memory, less than it has, and its network", () => {
    const interfaces = [{ name: "eth0", rxBytes: 1, rxErrors: 0, txBytes: 2, txErrors: 0 }] as never;
    const given = { ...input, usage: aUsage("/", { memory: { ...aUsage("/").memory, limitBytes: undefined } }) };
    expect(
      nodeSummary(files({}) as never, { ...given, network: { at: 2_000, interfaces } }, 9_000, undefined),
    ).toMatchObject({
      ...times,
      cpu: { usageCoreNanoSeconds: 2_500_000_000 },
      memory: { workingSetBytes: 12, availableBytes: 88 },
      network: { time: "1970-01-01T00:00:02Z", name: "eth0", rxBytes: 1, txBytes: 2 },
      swap: { swapAvailableBytes: 0, swapUsageBytes: 0 },
    });
  });

  test("has a cgroup of all pods where there is one", () => {
    const { kernel, layout } = machine("v2", "max\n");
    expect(nodeMemory(kernel, layout, undefined, 0)).not.toHaveProperty("systemContainers");
    expect(nodeMemory(kernel, layout, PODS, 0).systemContainers).toEqual([
      { name: "pods", startTime: "1970-01-01T00:00:00Z", memory: expect.objectContaining({ usageBytes: 500 * MIB }) },
    ]);
  });

  test.each([
    ["cpu 1\nbtime 1700000000\nprocesses 5\n", 1_700_000_000_000],
    ["cpu 1\nxbtime 17\n", undefined],
    [undefined, undefined],
  ])("has started when the kernel says (%j)", (text, time) => {
    expect(bootTime(files(text === undefined ? {} : { "/proc/stat": text }) as never)).toBe(time);
  });
});
