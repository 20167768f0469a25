import { describe, expect, test } from "@jest/globals";
import {
  availableMemory,
  findPodsCgroup,
  type KernelReader,
  type MemoryHierarchy,
  memoryHierarchy,
  memoryOnly,
  nodeMemory,
  podsMemory,
  processLimits,
} from "../src/readings/machine.js";

const time = "2026-01-01T00:00:00Z";
const Mi = 1024 * 1024;

function kernel(files: Readonly<Record<string, string>>): KernelReader {
  return { read: (path) => (Object.hasOwn(files, path) ? files[path] : undefined), directories: () => [] };
}

const onV1: MemoryHierarchy = { version: "v1", root: "/sys/fs/cgroup/memory" };
const onV2: MemoryHierarchy = { version: "v2", root: "/sys/fs/cgroup" };

const meminfo = "MemTotal:        8388608 kB\nMemFree:          100000 kB\nMemAvailable:    4194304 kB\n";

const v1 = {
  "/proc/meminfo": meminfo,
  "/sys/fs/cgroup/memory/memory.usage_in_bytes": `${3000 * Mi}\n`,
  "/sys/fs/cgroup/memory/memory.stat": `cache 1\ninactive_file 5\ntotal_inactive_file ${1000 * Mi}\n`,
  "/sys/fs/cgroup/memory/kubepods/cgroup.procs": "",
  "/sys/fs/cgroup/memory/kubepods/memory.usage_in_bytes": `${500 * Mi}\n`,
  "/sys/fs/cgroup/memory/kubepods/memory.stat": `total_inactive_file ${100 * Mi}\n`,
  "/sys/fs/cgroup/memory/kubepods/memory.limit_in_bytes": `${1024 * Mi}\n`,
};

const v2 = {
  "/proc/meminfo": meminfo,
  "/sys/fs/cgroup/cgroup.controllers": "memory pids\n",
  "/sys/fs/cgroup/memory.stat": `anon ${2000 * Mi}\nfile ${1500 * Mi}\ninactive_file ${500 * Mi}\n`,
  "/sys/fs/cgroup/kubepods.slice/cgroup.procs": "",
  "/sys/fs/cgroup/kubepods.slice/memory.current": `${700 * Mi}\n`,
  "/sys/fs/cgroup/kubepods.slice/memory.stat": `anon 1\ninactive_file ${200 * Mi}\n`,
  "/sys/fs/cgroup/kubepods.slice/memory.max": "max\n",
};

describe("memory is read where the machine's mounts say that it is counted", () => {
  const mount = (place: string, type: string, options: string): string =>
    `31 23 0:28 / ${place} rw,relatime shared:9 - ${type} ${type} rw,${options}\n`;

  test.each([
    { name: "v1 at its usual place", mounts: mount("/sys/fs/cgroup/memory", "cgroup", "memory"), at: onV1 },
    { name: "v2 at its usual place", mounts: mount("/sys/fs/cgroup", "cgroup2", "nsdelegate"), at: onV2 },
    {
      name: "v1, memory together with others, somewhere else",
      mounts: mount("/cgroup/cpu", "cgroup", "cpu") + mount("/cgroup/mem\\040all", "cgroup", "cpuset,memory"),
      at: { version: "v1", root: "/cgroup/mem all" },
    },
    {
      name: "v1 beside a v2 that limits nothing",
      mounts: mount("/sys/fs/cgroup/unified", "cgroup2", "") + mount("/sys/fs/cgroup/memory", "cgroup", "memory"),
      at: onV1,
    },
    {
      name: "v2 in a container, below a folder",
      mounts: mount("/host/cgroup", "cgroup2", ""),
      at: { version: "v2", root: "/host/cgroup" },
    },
    { name: "no memory controller", mounts: mount("/sys/fs/cgroup/cpu", "cgroup", "cpu"), at: undefined },
    { name: "no cgroups at all", mounts: mount("/proc", "proc", ""), at: undefined },
  ])("$name", ({ mounts, at }) => {
    expect(memoryHierarchy(kernel({ "/proc/self/mountinfo": mounts }))).toEqual(at);
  });

  test("without a hierarchy there are no signals of memory", () => {
    const given = { memorySource: "working-set", podsCgroup: "", hierarchy: undefined } as const;
    expect(memoryOnly(kernel(v1), given, time)).toEqual({});
  });

  test("the pods' cgroup is looked for in the same place", () => {
    const elsewhere = Object.fromEntries(
      Object.entries(v2).map(([path, text]) => [path.replace("/sys/fs/cgroup", "/host/cgroup"), text]),
    );
    const hierarchy = { version: "v2", root: "/host/cgroup" } as const;
    const read = memoryOnly(kernel(elsewhere), { memorySource: "working-set", podsCgroup: "", hierarchy }, time);
    expect(read.memory?.workingSetBytes).toBe(3000 * Mi);
    expect(read.systemContainers?.[0]?.memory?.workingSetBytes).toBe(500 * Mi);
  });
});

describe("memory of the node is what the root cgroup uses less inactive page cache", () => {
  test("v1: usage_in_bytes and total_inactive_file", () => {
    expect(nodeMemory(kernel(v1), onV1, time)).toEqual({
      time,
      usageBytes: 3000 * Mi,
      workingSetBytes: 2000 * Mi,
      availableBytes: (8192 - 2000) * Mi,
    });
  });

  test("v2: anon and file of the root's memory.stat", () => {
    expect(nodeMemory(kernel(v2), onV2, time)).toMatchObject({ usageBytes: 3500 * Mi, workingSetBytes: 3000 * Mi });
  });

  test("a kernel that does not tell gives no signal", () => {
    expect(nodeMemory(kernel({ "/proc/meminfo": meminfo }), onV1, time)).toBeUndefined();
    expect(nodeMemory(kernel({}), onV2, time)).toBeUndefined();
  });

  test("MemAvailable as source counts no page cache", () => {
    expect(availableMemory(kernel(v1), time)).toMatchObject({ availableBytes: 4096 * Mi, workingSetBytes: 4096 * Mi });
    for (const hierarchy of [onV1, undefined]) {
      const given = { memorySource: "mem-available", podsCgroup: "", hierarchy } as const;
      expect(memoryOnly(kernel(v1), given, time).memory).toMatchObject({ availableBytes: 4096 * Mi });
    }
  });
});

describe("memory of all pods is reckoned against the limit of their cgroup", () => {
  test("v1", () => {
    expect(podsMemory(kernel(v1), onV1, "/kubepods", time)).toMatchObject({
      workingSetBytes: 400 * Mi,
      availableBytes: 624 * Mi,
    });
  });

  test("without a limit nothing is available: no signal", () => {
    expect(podsMemory(kernel(v2), onV2, "/kubepods.slice", time)).toEqual({
      time,
      usageBytes: 700 * Mi,
      workingSetBytes: 500 * Mi,
    });
    const unlimited = { ...v1, "/sys/fs/cgroup/memory/kubepods/memory.limit_in_bytes": "9223372036854771712\n" };
    expect(podsMemory(kernel(unlimited), onV1, "/kubepods", time)?.availableBytes).toBeUndefined();
  });

  test("over its limit there is nothing left, not less", () => {
    const full = { ...v1, "/sys/fs/cgroup/memory/kubepods/memory.limit_in_bytes": `${300 * Mi}\n` };
    expect(podsMemory(kernel(full), onV1, "/kubepods", time)?.availableBytes).toBe(0);
  });

  test.each([
    { name: "v1, cgroupfs", files: v1, at: onV1, path: "/kubepods" },
    { name: "v2, systemd", files: v2, at: onV2, path: "/kubepods.slice" },
    { name: "no pods yet", files: {}, at: onV2, path: undefined },
    { name: "told", files: v1, at: onV1, told: "/kubepods", path: "/kubepods" },
    { name: "told, but not there", files: v1, at: onV1, told: "/team/kubepods", path: undefined },
  ])("$name", ({ files, at, told, path }) => {
    expect(findPodsCgroup(kernel(files), at, told)).toBe(path);
  });

  test.each(["", "\n", "lots", "-5\n", "NaN"])("a limit of %j is none, and no reason to evict anybody", (text) => {
    const odd = { ...v1, "/sys/fs/cgroup/memory/kubepods/memory.limit_in_bytes": text };
    expect(podsMemory(kernel(odd), onV1, "/kubepods", time)?.availableBytes).toBeUndefined();
  });
});

describe("processes", () => {
  const files = {
    "/proc/sys/kernel/pid_max": "32768\n",
    "/proc/sys/kernel/threads-max": "127000\n",
    "/proc/loadavg": "0.10 0.20 0.30 2/714 12345\n",
  };

  test("the smaller limit, and all tasks", () => {
    expect(processLimits(kernel(files), time)).toEqual({ time, maxpid: 32_768, curproc: 714 });
  });

  test("one limit is enough, as in a kubelet", () => {
    const { "/proc/sys/kernel/pid_max": _gone, ...rest } = files;
    expect(processLimits(kernel(rest), time)).toEqual({ time, maxpid: 127_000, curproc: 714 });
  });

  test("without any limit, or without the count, there is no signal", () => {
    expect(processLimits(kernel({ "/proc/loadavg": files["/proc/loadavg"] }), time)).toBeUndefined();
    const { "/proc/loadavg": _gone, ...rest } = files;
    expect(processLimits(kernel(rest), time)).toBeUndefined();
  });
});
