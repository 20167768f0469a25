import { beforeEach, expect, test } from "@jest/globals";
import { KernelTree } from "../../../src/machine/kernel-tree.js";

let now: number;
let tree: KernelTree;
beforeEach(() => {
  now = 1_000;
  tree = new KernelTree({
    now: () => now,
    newFolder: (path): Readonly<Record<string, string>> =>
      path.startsWith("/cg") ? { limit: "max", "cgroup.procs": "" } : {},
    written: (_, value, before) => (value === "+" ? `${before}+` : value),
  });
});
const error = (code: string) => expect.objectContaining({ code });

test("a folder is made below one that is there, once, with its files", () => {
  expect(() => tree.makeDirectory("/cg/a")).toThrow(error("ENOENT"));
  expect([tree.makeDirectory("/cg"), tree.makeDirectory("/cg"), tree.makeDirectory("/cg/a")]).toEqual([
    true,
    false,
    true,
  ]);
  expect([tree.entries("/cg").toSorted(), tree.directories("/cg")]).toEqual([["a", "cgroup.procs", "limit"], ["a"]]);
  expect([tree.entries("/gone"), tree.directories("/gone")]).toEqual([[], []]);
  expect(tree.read("/cg/a/limit")).toBe("max");
});

test("a folder goes with its files, unless something is in it; one that is gone is fine", () => {
  tree.addFolder("/cg/a");
  expect(tree.removeDirectory("/cg/x")).toBe(true);
  expect(tree.removeDirectory("/cg")).toBe(false);
  tree.write("/cg/a/cgroup.procs", "7");
  expect(tree.removeDirectory("/cg/a")).toBe(false);
  tree.write("/cg/a/cgroup.procs", "");
  expect(tree.filesNamed("limit")).toEqual(["/cg/limit", "/cg/a/limit"]);
  expect(tree.removeDirectory("/cg/a")).toBe(true);
  expect([tree.read("/cg/a/limit"), tree.directories("/cg"), tree.filesNamed("limit")]).toEqual([
    undefined,
    [],
    ["/cg/limit"],
  ]);
  tree.addFolder("/cg/b");
  expect(tree.filesNamed("limit")).toEqual(["/cg/limit", "/cg/b/limit"]);
});

test("a write is noted, and what comes of it stands in the file", async () => {
  tree.addFolder("/cg");
  tree.write("/cg/limit", "5");
  await tree.writeSlowly("/cg/limit", "+");
  expect([tree.read("/cg/limit"), tree.writes]).toEqual(["5+", ["/cg/limit=5", "/cg/limit=+"]]);
  expect(() => tree.write("/cg/other", "5")).toThrow(error("ENOENT"));
  expect(tree.reader().read("/cg/limit")).toBe("5+");
});

test("a file that is set is there with its folders, and one that is unset is gone, its folder's own too", () => {
  tree.set("/proc/1/stat", "x");
  tree.addFolder("/cg");
  expect([tree.read("/proc/1/stat"), tree.entries("/proc"), tree.entries("/proc/1")]).toEqual(["x", ["1"], ["stat"]]);
  for (const path of ["/proc/1/stat", "/cg/limit", "/none/x"]) tree.unset(path);
  expect([tree.read("/proc/1/stat"), tree.entries("/proc/1"), tree.read("/cg/limit"), tree.entries("/cg")]).toEqual([
    undefined,
    [],
    undefined,
    ["cgroup.procs"],
  ]);
});

test("what changed has the time of it", () => {
  tree.addFolder("/cg");
  now = 2_000;
  tree.write("/cg/limit", "5");
  tree.set("/a", "");
  const paths = ["/cg", "/cg/limit", "/cg/cgroup.procs", "/a", "/gone"];
  expect(paths.map((path) => tree.changedAt(path))).toEqual([1_000, 2_000, 1_000, 2_000, undefined]);
  expect(new KernelTree().changedAt("/")).toBe(0);
});

test("each call may fail by itself, until it is mended", () => {
  tree.addFolder("/cg");
  tree.fail("read /cg/limit", "EIO");
  tree.fail("remove /cg", "EBUSY");
  tree.fail("/cg/limit", "EINVAL");
  expect(() => tree.read("/cg/limit")).toThrow(error("EIO"));
  expect(() => tree.removeDirectory("/cg")).toThrow(error("EBUSY"));
  expect(() => tree.write("/cg/limit", "5")).toThrow(error("EINVAL"));
  for (const what of ["read /cg/limit", "remove /cg", "/cg/limit"]) tree.fail(what, undefined);
  tree.write("/cg/limit", "5");
  expect([tree.read("/cg/limit"), tree.removeDirectory("/cg")]).toEqual(["5", true]);
});

test("a listener hears of writes in place of the notes", () => {
  const heard: string[] = [];
  const own = new KernelTree({ onWrite: (...write) => heard.push(write.join(" ")) });
  own.set("/a", "1");
  own.write("/a", "2");
  expect([heard, own.writes, own.read("/a")]).toEqual([["/a 2 1"], [], "2"]);
});
