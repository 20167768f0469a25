import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { releaseMounts } from "../../../../../volumes/src/sub-path-mounts.js";
import { PodDirectories } from "../../../../src/pod/life/pod-directories.js";

let root: string;
let known: Set<string>;
let directories: PodDirectories;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "hooklet-directories-")));
  known = new Set();
  directories = new PodDirectories(root, (uid) => known.has(uid));
});
afterEach(async () => {
  await releaseMounts(root);
  await rm(root, { recursive: true, force: true });
});

const at = (...names: readonly string[]): string => path.join(root, "pods", ...names);
const emptyDir = (uid: string, name: string): string => at(uid, "volumes/kubernetes.io~empty-dir", name);

async function file(name: string): Promise<void> {
  await mkdir(path.dirname(name), { recursive: true });
  await writeFile(name, "");
}

test("without any pod there is none, and links and files are no directories of pods", async () => {
  expect(await directories.list()).toEqual([]);
  await mkdir(at("u1"), { recursive: true });
  await symlink("/tmp", at("link"));
  await file(at("file"));
  expect(await directories.list()).toEqual(["u1"]);
});

test("a directory lists each volume and whether it is empty", async () => {
  await file(path.join(emptyDir("u1", "scratch"), "data"));
  await mkdir(at("u1/volumes/kubernetes.io~csi/disk"), { recursive: true });
  await file(at("u1/volumes/kubernetes.io~csi/left"));
  const { volumes, ...rest } = await directories.look("u1");
  expect(volumes.map(({ plugin, name, content }) => `${plugin} ${name} ${content}`).sort()).toEqual([
    "kubernetes.io~csi disk empty",
    "kubernetes.io~csi left no directory",
    "kubernetes.io~empty-dir scratch filled",
  ]);
  expect(rest).toEqual({ uid: "u1", path: at("u1"), mounts: [] });
  await expect(directories.look("u2")).rejects.toThrow("ENOENT");
});

describe("a removal", () => {
  test("takes the directory with all that is in it, and none of what a link in it names", async () => {
    await file(path.join(root, "elsewhere/data"));
    await mkdir(emptyDir("u1", "scratch"), { recursive: true });
    await symlink(path.join(root, "elsewhere"), path.join(emptyDir("u1", "scratch"), "link"));
    await directories.remove("u1");
    expect(await directories.list()).toEqual([]);
    expect(await readdir(path.join(root, "elsewhere"))).toEqual(["data"]);
    expect(await readdir(path.join(root, "leaving-pods"))).toEqual([]);
  });

  test("of a directory that is gone is fine", async () => {
    await directories.remove("u1");
    expect(await directories.list()).toEqual([]);
  });

  test("is refused while the pod is known, also when it comes after the check", async () => {
    await file(path.join(emptyDir("u1", "scratch"), "data"));
    const removal = directories.remove("u1");
    known.add("u1");
    await expect(removal).rejects.toMatchObject({ code: "failed-precondition" });
    expect(await readdir(emptyDir("u1", "scratch"))).toEqual(["data"]);
  });

  test("that a kill interrupted is ended at the next start", async () => {
    await file(path.join(root, "leaving-pods/u1/etc-hosts"));
    await directories.finishRemovals();
    expect(await readdir(path.join(root, "leaving-pods"))).toEqual([]);
  });

  test.each(["", ".", "..", "../pods", "a/b"])("the uid %j leads nowhere", async (uid) => {
    await mkdir(at("a/b"), { recursive: true });
    await expect(directories.remove(uid)).rejects.toThrow("expected the uid of a pod");
    expect(await readdir(at("a"))).toEqual(["b"]);
  });
});

const isRoot = process.platform === "linux" && process.getuid?.() === 0;

(isRoot ? describe : describe.skip)("mounts (root on Linux)", () => {
  const mount = async (place: string): Promise<void> => {
    await mkdir(place, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "none", place]);
  };

  test("the agent's own mounts are unmounted; others are reported", async () => {
    await mount(at("u1/volume-subpaths/v/main/0"));
    await mount(emptyDir("u1", "memory"));
    expect((await directories.look("u1")).mounts).toEqual([]);
    const csi = at("u1/volumes/kubernetes.io~csi/disk/mount");
    await mount(csi);
    await mount(path.join(emptyDir("u1", "memory"), "left by a container"));
    expect((await directories.look("u1")).mounts).toEqual([
      csi,
      path.join(emptyDir("u1", "memory"), "left by a container"),
    ]);
    execFileSync("umount", [csi]);
    execFileSync("umount", [path.join(emptyDir("u1", "memory"), "left by a container")]);
    await directories.remove("u1");
    expect(await directories.list()).toEqual([]);
    expect(execFileSync("mount", { encoding: "utf8" })).not.toContain(root);
  });

  test("a mounted volume is not read", async () => {
    const disk = at("u1/volumes/kubernetes.io~csi/disk");
    await mount(disk);
    await file(path.join(disk, "data"));
    const { volumes, mounts } = await directories.look("u1");
    expect(volumes.map(({ content }) => content)).toEqual(["mounted"]);
    expect(mounts).toEqual([disk]);
  });
});
