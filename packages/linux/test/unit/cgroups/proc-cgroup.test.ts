import { expect, test } from "@jest/globals";
import { processesByContainer } from "../../../src/cgroups/proc-cgroup.js";

test.each([
  { name: "cgroup v1", text: "9:pids:/kubepods/pod1/abc\n8:cpu:/kubepods/pod1/abc\n" },
  { name: "systemd", text: "0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-abc.scope\n" },
  { name: "cgroup v2", text: "0::/hooklet/pod1/abc\n" },
  { name: "an id with dashes", id: "hk-1-a", text: "9:pids:/hooklet/pod1/hk-1-a\n" },
])("processes are found by the last part of their cgroup: $name", ({ text, id = "abc" }) => {
  const kernel = {
    read: (path: string) => (["/proc/7/cgroup", "/proc/8/cgroup"].includes(path) ? text : "0::/other\n"),
    directories: () => ["7", "8", "9", "sys"],
  };
  expect(processesByContainer(kernel).get(id)).toEqual(["7", "8"]);
});
