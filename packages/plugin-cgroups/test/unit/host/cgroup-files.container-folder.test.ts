import { readCgroupLayout } from "@hooklet/core/rules";
import { expect, test } from "@jest/globals";
import { containerFolder } from "../../../src/host/cgroup-files.js";

const podPath = "/kubepods.slice/kubepods-poda.slice";
const layout = readCgroupLayout("30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");

function found(driver: "cgroupfs" | "systemd", ...folders: readonly string[]): string | undefined {
  if (layout === undefined) throw new Error("no layout");
  const files = { directories: (path: string) => (path === `/sys/fs/cgroup${podPath}` ? folders : []) };
  return containerFolder(files, layout, driver, { podPath, id: "c1" });
}

test.each([
  ["containerd", ["cri-containerd-c0.scope", "cri-containerd-c1.scope"], "cri-containerd-c1.scope"],
  ["CRI-O, beside its helper", ["crio-conmon-c1.scope", "crio-c1.scope"], "crio-c1.scope"],
  ["none yet", ["cri-containerd-c11.scope"], undefined],
] as const)("with systemd a container has the scope that its runtime made: %s", (_, folders, name) => {
  expect(found("systemd", ...folders)).toBe(name);
});

test("with cgroupfs its cgroup has its id", () => {
  expect(found("cgroupfs")).toBe("c1");
});
