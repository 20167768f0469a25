import { expect, test } from "@jest/globals";
import { checkCgroupPath, findHierarchies } from "../../../src/cgroup/hierarchies.js";
import { limitsV1, limitsV2 } from "../../../src/cgroup/limits.js";

const all = { cpuShares: 512, cpuPeriod: 100000, cpuQuota: 50000, memoryLimitInBytes: 1048576 };
const files = (writes: readonly { file: string; value: string }[]) =>
  writes.map(({ file, value }) => `${file}=${value}`);

test("v1 writes shares, period before quota, and the memory limit", () => {
  expect(files(limitsV1(all))).toEqual([
    "cpu.shares=512",
    "cpu.cfs_period_us=100000",
    "cpu.cfs_quota_us=50000",
    "memory.limit_in_bytes=1048576",
  ]);
});

test("v2 writes weight, quota and period in one, the memory limit, and unified files last", () => {
  expect(files(limitsV2({ ...all, unified: { "memory.high": "900000" } }))).toEqual([
    "cpu.weight=20",
    "cpu.max=50000 100000",
    "memory.max=1048576",
    "memory.high=900000",
  ]);
});

test("absent and 0 leave the kernel's default alone", () => {
  expect(limitsV1({ cpuShares: 0, memoryLimitInBytes: 0, hugepageLimits: [{ pageSize: "2MB", limit: 0 }] })).toEqual(
    [],
  );
  expect(limitsV2({})).toEqual([]);
});

test("v1 writes swap, the sets of processors and memory, and huge pages", () => {
  const more = { cpusetCpus: "0-1", cpusetMems: "0", hugepageLimits: [{ pageSize: "2MB", limit: 4 }] };
  expect(limitsV1({ memoryLimitInBytes: 10, memorySwapLimitInBytes: 30, ...more })).toEqual([
    { controller: "memory", file: "memory.limit_in_bytes", value: "10" },
    { controller: "memory", file: "memory.memsw.limit_in_bytes", value: "30" },
    { controller: "cpuset", file: "cpuset.cpus", value: "0-1" },
    { controller: "cpuset", file: "cpuset.mems", value: "0" },
    { controller: "hugetlb", file: "hugetlb.2MB.limit_in_bytes", value: "4" },
  ]);
});

test("v2 writes swap without the memory that is in it, sets, huge pages, each to its controller", () => {
  const more = { cpusetCpus: "0-1", cpusetMems: "0", hugepageLimits: [{ pageSize: "2MB", limit: 4 }] };
  const unified = { "cpu.weight.nice": "1" };
  expect(limitsV2({ memoryLimitInBytes: 10, memorySwapLimitInBytes: 30, ...more, unified })).toEqual([
    { controller: "memory", file: "memory.max", value: "10" },
    { controller: "memory", file: "memory.swap.max", value: "20" },
    { controller: "cpuset", file: "cpuset.cpus", value: "0-1" },
    { controller: "cpuset", file: "cpuset.mems", value: "0" },
    { controller: "hugetlb", file: "hugetlb.2MB.max", value: "4" },
    { controller: "cpu", file: "cpu.weight.nice", value: "1" },
  ]);
});

test("every file is written in the hierarchy of its controller", () => {
  const more = { cpusetCpus: "0", cpusetMems: "0", hugepageLimits: [{ pageSize: "2MB", limit: 4 }] };
  const given = { ...all, ...more, memorySwapLimitInBytes: 2097152, unified: { "pids.max": "9" } };
  for (const { controller, file } of [...limitsV1(given), ...limitsV2(given)]) expect(file).toMatch(`${controller}.`);
  expect([...limitsV1(given), ...limitsV2(given)].filter(({ controller }) => controller === "")).toEqual([]);
});

test.each([
  {
    name: "no swap beyond the memory",
    given: { memoryLimitInBytes: 10, memorySwapLimitInBytes: 10 },
    has: ["memory.max=10", "memory.swap.max=0"],
  },
  {
    name: "less swap than memory says nothing",
    given: { memoryLimitInBytes: 10, memorySwapLimitInBytes: 5 },
    has: ["memory.max=10"],
  },
  { name: "swap without memory says nothing", given: { memorySwapLimitInBytes: 5 }, has: [] },
  { name: "memory without an end", given: { memoryLimitInBytes: -1 }, has: ["memory.max=max"] },
  { name: "a period alone", given: { cpuPeriod: 50_000 }, has: ["cpu.max=max 50000"] },
  { name: "a quota alone has the kernel's period", given: { cpuQuota: 10_000 }, has: ["cpu.max=10000 100000"] },
  { name: "a quota without an end", given: { cpuQuota: -1 }, has: ["cpu.max=max 100000"] },
  { name: "no huge pages", given: { hugepageLimits: [{ pageSize: "2MB", limit: 0 }] }, has: [] },
])("v2: $name", ({ given, has }) => {
  expect(files(limitsV2(given))).toEqual(has);
});

test.each(["../memory.max", "memory/../x.y", "memory", "a.b/c"])("the unified name %s is refused", (name) => {
  expect(() => limitsV2({ unified: { [name]: "1" } })).toThrow(
    expect.objectContaining({
      code: "invalid-argument",
      message: expect.stringMatching(/expected names of cgroup files/),
    }),
  );
});

test.each(["relative", "/a/../../etc", ""])("the cgroup parent %p is refused", (path) => {
  expect(() => checkCgroupPath(path)).toThrow(/expected an absolute cgroupfs path/);
});

test("of v1 the hierarchies count that limit containers; of v2 the one there is", () => {
  const line = (mountPoint: string, type: string, options: string) =>
    `30 23 0:28 / ${mountPoint} rw - ${type} ${type} rw,${options}`;
  const v1 = [
    line("/c/cpu,cpuacct", "cgroup", "cpu,cpuacct"),
    line("/c/systemd", "cgroup", "name=systemd"),
    line("/c/u", "cgroup2", ""),
  ];
  const found = (lines: readonly string[]) => findHierarchies(lines.join("\n")).map(({ mountPoint }) => mountPoint);
  expect(found(v1)).toEqual(["/c/cpu,cpuacct"]);
  expect(found([line("/c", "cgroup2", "nsdelegate")])).toEqual(["/c"]);
});
