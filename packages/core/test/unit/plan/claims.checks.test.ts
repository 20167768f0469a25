import { expect, test } from "@jest/globals";
import {
  absolute,
  annotationName,
  cdiDevice,
  cgroupFile,
  cgroupParent,
  resource,
  resources,
  text,
} from "../../../src/plan/claims.js";

test.each<[string, () => unknown, string]>([
  ["a text is no number", () => text("Name", 1), "Name: expected a text without NUL, found 1."],
  ["a text has no NUL", () => text("Name", "a\0"), 'Name: expected a text without NUL, found "a\\u0000".'],
  ["a path is absolute", () => absolute("Path", "a/b"), 'Path: expected an absolute path, found "a/b".'],
  [
    "the agent's annotations are its own",
    () => annotationName("io.kubernetes.pod.name"),
    'Name of an annotation: expected none under io.kubernetes., which is the agent\'s own, found "io.kubernetes.pod.name".',
  ],
  [
    "a cgroup file has a controller",
    () => cgroupFile("memory", ""),
    'Name of a cgroup file: expected for example memory.high, found "memory".',
  ],
  [
    "a cgroup file is no path",
    () => cgroupFile("memory.a/b", ""),
    'Name of a cgroup file: expected for example memory.high, found "memory.a/b".',
  ],
  [
    "a cgroup file has a name",
    () => cgroupFile(1, ""),
    "Name of a cgroup file: expected for example memory.high, found 1.",
  ],
  [
    "its content is a text",
    () => cgroupFile("memory.high", 1),
    "cgroup file memory.high: expected a text without NUL, found 1.",
  ],
  [
    "a device has a vendor",
    () => cdiDevice("gpu=0"),
    'Name of a CDI device: expected vendor.example/class=name, found "gpu=0".',
  ],
  [
    "a device has a name",
    () => cdiDevice("a.b/gpu="),
    'Name of a CDI device: expected vendor.example/class=name, found "a.b/gpu=".',
  ],
  ["a device is a text", () => cdiDevice(1), "Name of a CDI device: expected vendor.example/class=name, found 1."],
  [
    "a parent is absolute",
    () => cgroupParent("a"),
    'cgroup parent: expected an absolute cgroupfs path without .., or the name of a systemd slice, found "a".',
  ],
  [
    "a parent has no way up",
    () => cgroupParent("/a/../b"),
    'cgroup parent: expected an absolute cgroupfs path without .., or the name of a systemd slice, found "/a/../b".',
  ],
  [
    "a resource is one of CRI's",
    () => resource("toString", 1),
    'Name of a resource: expected cpuPeriod, cpuQuota, cpuShares, memoryLimitInBytes, memorySwapLimitInBytes, oomScoreAdj, cpusetCpus, cpusetMems, found "toString".',
  ],
  ...["cpuPeriod", "cpuQuota", "cpuShares", "memoryLimitInBytes", "memorySwapLimitInBytes", "oomScoreAdj"].map(
    (name): [string, () => unknown, string] => [
      `${name} is a whole number`,
      () => resource(name, "1"),
      `resource ${name}: expected a whole number, found "1".`,
    ],
  ),
  ...["cpusetCpus", "cpusetMems"].map((name): [string, () => unknown, string] => [
    `${name} is a text`,
    () => resource(name, 1),
    `resource ${name}: expected text, found 1.`,
  ]),
  [
    "a fraction is no whole number",
    () => resource("cpuShares", 0.5),
    "resource cpuShares: expected a whole number, found 0.5.",
  ],
  ["resources are an object", () => resources("update", 1), "update: expected an object of resources, found 1."],
  ["and not null", () => resources("update", null), "update: expected an object of resources, found null."],
  [
    "each is checked",
    () => resources("update", { cpuShares: "1" }),
    'resource cpuShares: expected a whole number, found "1".',
  ],
  [
    "each cgroup file is",
    () => resources("update", { unified: { memory: "1" } }),
    'Name of a cgroup file: expected for example memory.high, found "memory".',
  ],
  [
    "a limit of huge pages has a size",
    () => resources("update", { hugepageLimits: [{ limit: 1 }] }),
    'hugepageLimits of update: expected {pageSize: text, limit: a whole number}, found {"limit":1}.',
  ],
  [
    "and is a whole number",
    () => resources("update", { hugepageLimits: [{ pageSize: "2MB", limit: 0.5 }] }),
    'hugepageLimits of update: expected {pageSize: text, limit: a whole number}, found {"pageSize":"2MB","limit":0.5}.',
  ],
])("%s", (_rule, check, message) => {
  expect(check).toThrow(expect.objectContaining({ code: "INVALID", message }));
});

test.each([
  ["/a", "/a"],
  ["/a/", "/a"],
  ["/a//b/./c", "/a/b/c"],
  ["/a/../b", "/b"],
  ["/", "/"],
])("the path %s is %s", (path, clean) => expect(absolute("Path", path)).toBe(clean));

test.each([
  ["/kubepods/", "/kubepods"],
  ["kubepods.slice", "kubepods.slice"],
  ["kubepods-pod1\\x2d2.slice", "kubepods-pod1\\x2d2.slice"],
])("the parent %s is %s", (parent, clean) => expect(cgroupParent(parent)).toBe(clean));

test("what is in order passes", () => {
  const all = {
    cpuPeriod: 100_000,
    cpusetCpus: "0-1",
    oomScoreAdj: -997,
    cpuQuota: undefined,
    unified: { "memory.high": "1", "hugetlb.2MB.max": "0" },
    hugepageLimits: [{ pageSize: "2MB", limit: 0 }],
  };
  expect(resources("update", all)).toBe(all);
  expect(resources("update", {})).toEqual({});
  for (const name of ["vendor.example/class=name", "a/b=c", "v-1/c_2=GPU:0.1"])
    expect(() => cdiDevice(name)).not.toThrow();
  for (const name of ["a", "kubernetes.io/x", "xio.kubernetes.a"]) expect(() => annotationName(name)).not.toThrow();
});
