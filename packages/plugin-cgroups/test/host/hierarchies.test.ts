import { expect, test } from "@jest/globals";
import { allFolders, folderOf, isRequired, readLayout } from "../../src/host/hierarchies.js";

const mount = (place: string, type: string, options: string): string =>
  `31 23 0:28 / ${place} rw,relatime shared:9 - ${type} ${type} ${options}`;

const v1 = [
  mount("/sys/fs/cgroup/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct"),
  mount("/sys/fs/cgroup/memory", "cgroup", "rw,memory"),
  mount("/sys/fs/cgroup/systemd", "cgroup", "rw,xattr,release_agent=/lib/systemd/agent,name=systemd"),
  mount("/sys/fs/cgroup/freezer", "cgroup", "rw,freezer"),
];

test("controllers that are mounted together share a folder", () => {
  const layout = readLayout(v1.join("\n"));
  expect(layout).toMatchObject({ version: "v1", hybrid: false });
  expect(layout && [folderOf(layout, "cpu", "/kubepods"), folderOf(layout, "cpuacct", "/kubepods")]).toEqual([
    "/sys/fs/cgroup/cpu,cpuacct/kubepods",
    "/sys/fs/cgroup/cpu,cpuacct/kubepods",
  ]);
  expect(layout && folderOf(layout, "pids", "/kubepods")).toBeUndefined();
});

test("a v2 mount beside v1 controllers makes a hybrid machine, which counts as v1", () => {
  const layout = readLayout([...v1, mount("/sys/fs/cgroup/unified", "cgroup2", "rw")].join("\n"));
  expect(layout).toMatchObject({ version: "v1", hybrid: true });
  expect(layout && allFolders(layout, "/a")).toContain("/sys/fs/cgroup/unified/a");
});

test("v2 alone has one folder for all", () => {
  const layout = readLayout(mount("/sys/fs/cgroup", "cgroup2", "rw,nsdelegate"));
  expect(layout).toMatchObject({ version: "v2", hybrid: false });
  expect(layout && folderOf(layout, "memory", "/kubepods")).toBe("/sys/fs/cgroup/kubepods");
});

test("of several mounts of one controller the shortest path counts", () => {
  const layout = readLayout([mount("/var/lib/x/sys/fs/cgroup/cpu", "cgroup", "rw,cpu"), ...v1].join("\n"));
  expect(layout && folderOf(layout, "memory", "/")).toBe("/sys/fs/cgroup/memory");
  expect(layout?.hierarchies.map(({ mountPoint }) => mountPoint)).not.toContain("/var/lib/x/sys/fs/cgroup/cpu");
});

test("a machine without cgroups has no layout", () => {
  expect(readLayout(mount("/", "ext4", "rw"))).toBeUndefined();
});

test("the agent makes v1 cgroups where one of the controllers is that a runtime looks for, and none of v2 so", () => {
  const required = (version: "v1" | "v2", ...controllers: readonly string[]) =>
    isRequired({ version, controllers, root: "/x" } as unknown as Parameters<typeof isRequired>[0]);
  expect([
    required("v1", "net_cls", "cpu"),
    required("v1", "net_cls"),
    required("v1", "name=systemd"),
    required("v2", "cpu"),
  ]).toEqual([true, false, true, false]);
});
