import { describe, expect, test } from "@jest/globals";
import { nodeMemory, readNodeUsage } from "../../src/node-usage.js";
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
