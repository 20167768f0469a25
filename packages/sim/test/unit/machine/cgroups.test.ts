import { expect, test } from "@jest/globals";
import { cgroupMounts, cgroupRoots, newCgroup, writtenValue } from "../../../src/machine/cgroups.js";

const V1 = ["cpu", "cpuacct", "cpuset", "memory", "pids", "hugetlb", "freezer", "systemd"];

test("v1 has a hierarchy for each controller, v2 has one", () => {
  expect(cgroupRoots("v1")).toEqual(V1.map((name) => `/sys/fs/cgroup/${name}`));
  expect(cgroupRoots("v2")).toEqual(["/sys/fs/cgroup"]);
  expect(cgroupMounts("v2")).toBe("30 20 0:26 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n");
  expect(cgroupMounts("v1")).toBe(
    V1.map((name) => {
      const options = name === "systemd" ? "name=systemd" : name;
      return `30 20 0:26 / /sys/fs/cgroup/${name} rw,relatime - cgroup cgroup rw,${options}\n`;
    }).join(""),
  );
});

test.each([
  ["/sys/fs/cgroup/pids/a", { "pids.max": "max", "pids.current": "0" }],
  ["/sys/fs/cgroup/freezer/a/b", { "freezer.state": "THAWED" }],
  ["/sys/fs/cgroup/cpuset/a", { "cpuset.cpus": "", "cpuset.mems": "" }],
  ["/sys/fs/cgroup/cpuset", { "cpuset.cpus": "0-1", "cpuset.mems": "0" }],
  ["/sys/fs/cgroup/cpuacct", { "cpuacct.usage": "0" }],
  ["/sys/fs/cgroup/systemd/a", {}],
])("v1: %s has its controller's files", (path, files) => {
  expect(newCgroup("v1", path)).toEqual({ "cgroup.procs": "", ...files });
});

test("v1: what is not limited is the kernel's largest number", () => {
  expect(newCgroup("v1", "/sys/fs/cgroup/memory/a")).toMatchObject({ "memory.limit_in_bytes": "9223372036854771712" });
  expect(newCgroup("v1", "/sys/fs/cgroup/cpu/a")).toMatchObject({ "cpu.shares": "1024", "cpu.cfs_quota_us": "-1" });
});

test.each(["/sys/fs/cgroup/pidsx", "/sys/fs/cgroup", "/tmp/a"])("v1: %s is in no hierarchy", (path) => {
  expect(newCgroup("v1", path)).toEqual({});
});

test("v2: a folder has all files; the root knows the machine's processors", () => {
  const inner = newCgroup("v2", "/sys/fs/cgroup/a");
  expect(inner).toMatchObject({
    "cgroup.procs": "",
    "cgroup.controllers": "cpuset cpu io memory hugetlb pids",
    "cgroup.subtree_control": "",
    "cpu.weight": "100",
    "cpu.max": "max 100000",
    "memory.max": "max",
    "memory.high": "max",
    "memory.min": "0",
    "memory.swap.max": "max",
    "pids.max": "max",
    "cpuset.cpus": "",
    "hugetlb.2MB.max": "max",
  });
  expect(newCgroup("v2", "/sys/fs/cgroup")).toEqual({ ...inner, "cpuset.cpus": "0-1", "cpuset.mems": "0" });
  expect(newCgroup("v2", "/sys/fs/cgroups")).toEqual({});
});

test.each([
  ["memory.max", "8191", "4096"],
  ["memory.high", "8192", "8192"],
  ["memory.min", "1", "0"],
  ["memory.low", "4097", "4096"],
  ["memory.limit_in_bytes", "-1", "9223372036854771712"],
  ["memory.limit_in_bytes", "5000", "4096"],
  ["memory.max", "max", "max"],
  ["memory.swap.max", "5000", "5000"],
  ["cpu.shares", "5000", "5000"],
])("the kernel keeps %s %s as %s", (file, value, kept) => {
  expect(writtenValue(`/sys/fs/cgroup/a/${file}`, value, "before", 4096)).toBe(kept);
});

test.each([
  ["", "+cpu", "cpu"],
  ["cpu", "+memory +cpu", "cpu memory"],
  ["cpu memory", "-cpu", "memory"],
  ["cpu", " pids  -io ", "cpu pids"],
])("controllers of children: %j and %j are %j", (before, words, after) => {
  expect(writtenValue("/a/cgroup.subtree_control", words, before, 4096)).toBe(after);
});
