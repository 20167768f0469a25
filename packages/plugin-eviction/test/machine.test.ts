import { describe, expect, test } from "@jest/globals";
import {
  availableMemory,
  findPodsCgroup,
  type KernelReader,
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

describe("memory of the node is what the root cgroup uses less inactive page cache", () => {
  test("v1: usage_in_bytes and total_inactive_file", () => {
    expect(nodeMemory(kernel(v1), time)).toEqual({
      time,
      usageBytes: 3000 * Mi,
      workingSetBytes: 2000 * Mi,
      availableBytes: (8192 - 2000) * Mi,
    });
  });

  test("v2: anon and file of the root's memory.stat", () => {
    expect(nodeMemory(kernel(v2), time)).toMatchObject({ usageBytes: 3500 * Mi, workingSetBytes: 3000 * Mi });
  });

  test("a kernel that does not tell gives no signal", () => {
    expect(nodeMemory(kernel({ "/proc/meminfo": meminfo }), time)).toBeUndefined();
    expect(nodeMemory(kernel({}), time)).toBeUndefined();
  });

  test("MemAvailable as source counts no page cache", () => {
    expect(availableMemory(kernel(v1), time)).toMatchObject({ availableBytes: 4096 * Mi, workingSetBytes: 4096 * Mi });
    expect(memoryOnly(kernel(v1), { memorySource: "mem-available", podsCgroup: "" }, time).memory).toMatchObject({
      availableBytes: 4096 * Mi,
    });
  });
});

describe("memory of all pods is reckoned against the limit of their cgroup", () => {
  test("v1", () => {
    expect(podsMemory(kernel(v1), "/kubepods", time)).toMatchObject({
      workingSetBytes: 400 * Mi,
      availableBytes: 624 * Mi,
    });
  });

  test("without a limit nothing is available: no signal", () => {
    expect(podsMemory(kernel(v2), "/kubepods.slice", time)).toEqual({
      time,
      usageBytes: 700 * Mi,
      workingSetBytes: 500 * Mi,
    });
    const unlimited = { ...v1, "/sys/fs/cgroup/memory/kubepods/memory.limit_in_bytes": "9223372036854771712\n" };
    expect(podsMemory(kernel(unlimited), "/kubepods", time)?.availableBytes).toBeUndefined();
  });

  test("over its limit there is nothing left, not less", () => {
    const full = { ...v1, "/sys/fs/cgroup/memory/kubepods/memory.limit_in_bytes": `${300 * Mi}\n` };
    expect(podsMemory(kernel(full), "/kubepods", time)?.availableBytes).toBe(0);
  });

  test.each([
    { name: "v1, cgroupfs", files: v1, path: "/kubepods" },
    { name: "v2, systemd", files: v2, path: "/kubepods.slice" },
    { name: "no pods yet", files: {}, path: undefined },
    { name: "told", files: v1, told: "/kubepods", path: "/kubepods" },
    { name: "told, but not there", files: v1, told: "/team/kubepods", path: undefined },
  ])("$name", ({ files, told, path }) => {
    expect(findPodsCgroup(kernel(files), told)).toBe(path);
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
