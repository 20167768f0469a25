import { readCgroupLayout } from "@hooklet/core/rules";
import { expect, test } from "@jest/globals";
import { allFolders, isRequired } from "../../../src/host/cgroup-files.js";

const mount = (place: string, type: string, options: string): string =>
  `31 23 0:28 / ${place} rw,relatime shared:9 - ${type} ${type} ${options}`;

const v1 = [
  mount("/sys/fs/cgroup/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct"),
  mount("/sys/fs/cgroup/memory", "cgroup", "rw,memory"),
  mount("/sys/fs/cgroup/systemd", "cgroup", "rw,xattr,release_agent=/lib/systemd/agent,name=systemd"),
  mount("/sys/fs/cgroup/freezer", "cgroup", "rw,freezer"),
];

test("a v2 mount beside v1 controllers makes a hybrid machine, which counts as v1", () => {
  const layout = readCgroupLayout([...v1, mount("/sys/fs/cgroup/unified", "cgroup2", "rw")].join("\n"));
  expect(layout).toMatchObject({ version: "v1", hybrid: true });
  expect(layout && allFolders(layout, "/a")).toContain("/sys/fs/cgroup/unified/a");
});

test("the agent makes v1 cgroups for controllers that a runtime requires, and none of v2 for them", () => {
  const required = (version: "v1" | "v2", ...controllers: readonly string[]) =>
    isRequired({ version, controllers, root: "/x" } as unknown as Parameters<typeof isRequired>[0]);
  expect([
    required("v1", "net_cls", "cpu"),
    required("v1", "net_cls"),
    required("v1", "name=systemd"),
    required("v2", "cpu"),
  ]).toEqual([true, false, true, false]);
});
