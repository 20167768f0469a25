import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { findHierarchies, neededHierarchies, writableHierarchies } from "../../../src/cgroup/hierarchies.js";

const folder = mkdtempSync(path.join(tmpdir(), "hooklet-hierarchies-"));
afterAll(() => rmSync(folder, { recursive: true }));

const v1 = (number: number, controllers: string) =>
  `${number} 25 0:${number} / /sys/fs/cgroup/${controllers} rw - cgroup cgroup rw,${controllers}`;
const MOUNTS = ["cpu,cpuacct", "cpuset", "memory", "pids", "freezer", "hugetlb", "devices", "blkio"].map(
  (controllers, at) => v1(30 + at, controllers),
);
const V2 = "30 25 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw";

const names = (found: readonly { readonly controllers: readonly string[] }[]) =>
  found.map(({ controllers }) => controllers.join()).sort();

test("of cgroup v1 those that limit containers, of v2 the one", () => {
  expect(names(findHierarchies(MOUNTS.join("\n")))).toEqual([
    "cpu,cpuacct",
    "cpuset",
    "freezer",
    "hugetlb",
    "memory",
    "pids",
  ]);
  expect(findHierarchies(V2)).toHaveLength(1);
  expect(findHierarchies("")).toEqual([]);
});

const all = findHierarchies(MOUNTS.join("\n"));
const USUAL = ["cpu,cpuacct", "freezer", "memory", "pids"];

test.each([
  ["nothing", {}, USUAL],
  ["CPUs", { cpusetCpus: "0" }, ["cpu,cpuacct", "cpuset", "freezer", "memory", "pids"]],
  ["memory nodes", { cpusetMems: "0" }, ["cpu,cpuacct", "cpuset", "freezer", "memory", "pids"]],
  ["no huge pages", { hugepageLimits: [{ pageSize: "2MB", limit: 0 }] }, USUAL],
  ["huge pages", { hugepageLimits: [{ pageSize: "2MB", limit: 1 }] }, [...USUAL, "hugetlb"].sort()],
])("a container with %s needs", (_, resources, expected) => {
  expect(names(neededHierarchies(all, resources as never))).toEqual(expected);
});

test("where the pod's cgroup exists, and on v2, the hierarchy is needed", () => {
  const needed = neededHierarchies(all, {}, ({ controllers }) => controllers.includes("cpuset"));
  expect(names(needed)).toEqual(["cpu,cpuacct", "cpuset", "freezer", "memory", "pids"]);
  expect(neededHierarchies(findHierarchies(V2), {})).toHaveLength(1);
});

const hierarchy = (version: "v1" | "v2", mountPoint: string) =>
  ({ version, controllers: ["memory"], mountPoint }) as never;

test("hierarchies in which a cgroup can be made, and why not in the others", () => {
  const here = hierarchy("v1", folder);
  const found = writableHierarchies([here, hierarchy("v1", "/proc/none")], "/own");
  expect(found).toEqual({ writable: [here], refused: [expect.stringContaining("ENOENT")], root: "/" });
});

test("on v2 the cgroup that the agent was started in may be delegated to it", () => {
  const v2 = hierarchy("v2", "/");
  const delegated = writableHierarchies([hierarchy("v2", "/proc")], "/");
  expect(delegated).toMatchObject({ writable: [], root: "/" });
  expect(delegated.refused).toHaveLength(1);
  // `/` itself can be written by root: the first answer counts.
  if (process.getuid?.() === 0)
    expect(writableHierarchies([v2], "/own")).toEqual({ writable: [v2], refused: [], root: "/" });
  const refused = writableHierarchies([hierarchy("v2", "/proc")], "/self");
  expect(refused).toMatchObject({ writable: [], root: "/" });
  expect(refused.refused).toHaveLength(2);
});
