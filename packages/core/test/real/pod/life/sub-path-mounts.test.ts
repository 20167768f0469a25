/** Real bind mounts: root on Linux. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { mountSource, releaseMounts, removePodDirectory } from "../../../../../volumes/src/sub-path-mounts.js";
import { PodVolumes } from "../../../../src/pod/life/volumes.js";
import { canHang, hangOn } from "../../../pod/life/hung-volume.js";
import { aPod } from "../../../pod/pods.js";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;

(isRoot ? describe : describe.skip)("mounts of sub paths", () => {
  let scratch: string;
  let podDir: string;
  let volume: string;

  beforeEach(async () => {
    scratch = await realpath(await mkdtemp(path.join(tmpdir(), "hooklet-mounts-")));
    volume = path.join(scratch, "volume");
    await mkdir(path.join(volume, "dir"), { recursive: true });
    await writeFile(path.join(volume, "dir/file"), "text");
    // People put root dirs behind links.
    await mkdir(path.join(scratch, "real root/pod"), { recursive: true });
    await symlink("real root", path.join(scratch, "root"));
    podDir = path.join(scratch, "root/pod");
  });
  afterEach(async () => {
    await releaseMounts(podDir);
    await rm(scratch, { recursive: true, force: true });
  });

  const source = (subPath: string, index = 0): Promise<string> =>
    mountSource({ podDir, where: { volume: "v", container: "c", index }, volumePath: volume, subPath });
  const mounts = async (): Promise<number> =>
    (await readFile("/proc/self/mountinfo", "utf8")).split("\n").filter((line) => line.includes(path.basename(scratch)))
      .length;

  test("a folder and a file are mounted below the pod's directory, once", async () => {
    const dir = await source("dir", 0);
    const file = await source("dir/file", 1);
    expect(dir).toBe(path.join(scratch, "real root/pod/volume-subpaths/v/c/0"));
    expect(await readFile(path.join(dir, "file"), "utf8")).toBe("text");
    expect(await readFile(file, "utf8")).toBe("text");
    expect(await source("dir", 0)).toBe(dir);
    expect(await mounts()).toBe(2);
  });

  test("what is swapped after the mount does not change it; the next container gets the new place", async () => {
    const mounted = await source("dir");
    await rename(path.join(volume, "dir"), path.join(volume, "old"));
    await symlink("/etc", path.join(volume, "dir"));
    expect(await readFile(path.join(mounted, "file"), "utf8")).toBe("text");
    await rm(path.join(volume, "dir"));
    await mkdir(path.join(volume, "dir"));
    await writeFile(path.join(volume, "dir/file"), "new");
    expect(await readFile(path.join(await source("dir"), "file"), "utf8")).toBe("new");
    expect(await mounts()).toBe(1);
  });

  test("after the release the pod's directory can be removed, and the volume keeps what it has", async () => {
    await source("dir", 0);
    await source("dir/file", 1);
    await releaseMounts(podDir);
    expect(await mounts()).toBe(0);
    await rm(podDir, { recursive: true });
    expect(await readFile(path.join(volume, "dir/file"), "utf8")).toBe("text");
    await releaseMounts(podDir);
  });

  test("what the machine mounts in the volume later stays mounted there when the pod's own mounts go", async () => {
    execFileSync("mount", ["--bind", volume, volume]);
    execFileSync("mount", ["--make-shared", volume]);
    const later = path.join(volume, "dir/later");
    try {
      await mkdir(later);
      await source("dir");
      execFileSync("mount", ["-t", "tmpfs", "tmpfs", later]);
      await writeFile(path.join(later, "kept"), "");
      await releaseMounts(podDir);
      expect(existsSync(path.join(later, "kept"))).toBe(true);
      expect(await mounts()).toBe(2);
    } finally {
      execFileSync("umount", ["--recursive", volume]);
    }
  });

  test("a directory goes with all that is mounted below it, a folder and a file, and the volume keeps what it has", async () => {
    await source("dir", 0);
    await source("dir/file", 1);
    await writeFile(path.join(podDir, "etc-hosts"), "");
    await removePodDirectory(podDir);
    expect(await mounts()).toBe(0);
    expect(existsSync(podDir)).toBe(false);
    expect(await readFile(path.join(volume, "dir/file"), "utf8")).toBe("text");
    await removePodDirectory(podDir);
  });

  (canHang ? test : test.skip)("a mount that hangs when it is read is unmounted unread", async () => {
    const hung = path.join(podDir, "volumes/kubernetes.io~empty-dir/data/remote");
    await mkdir(hung, { recursive: true });
    const release = await hangOn(hung);
    try {
      await removePodDirectory(podDir);
      expect(existsSync(podDir)).toBe(false);
    } finally {
      await release().catch(() => undefined);
    }
  });

  test("an ended pod's emptyDir gives back what it takes: a file that is mounted as a sub path as well", async () => {
    const volumes = new PodVolumes(path.join(scratch, "agent"));
    const pod = aPod({ volumes: [{ name: "data", emptyDir: {} }] }, { uid: "u1" });
    await volumes.prepare(pod, new AbortController().signal);
    const directory = path.join(volumes.podDir("u1"), "volumes/kubernetes.io~empty-dir/data");
    await writeFile(path.join(directory, "db"), "gigabytes");
    const container = { name: "main", volumeMounts: [{ name: "data", mountPath: "/db", subPath: "db" }] };
    await volumes.mounts(pod, container, new Map());
    expect(await mounts()).toBe(1);
    await volumes.clear(pod);
    expect(await mounts()).toBe(0);
    expect(existsSync(directory)).toBe(false);
    await volumes.remove(pod);
  });

  test("what a container mounted into an emptyDir is not emptied with it", async () => {
    const volumes = new PodVolumes(path.join(scratch, "agent"));
    const emptyDir = path.join(volumes.podDir("u1"), "volumes/kubernetes.io~empty-dir/shared");
    await mkdir(path.join(emptyDir, "share"), { recursive: true });
    execFileSync("mount", ["--bind", volume, path.join(emptyDir, "share")]);
    await volumes.remove(aPod({}, { uid: "u1" }));
    expect(await mounts()).toBe(0);
    expect(existsSync(volumes.podDir("u1"))).toBe(false);
    expect(await readFile(path.join(volume, "dir/file"), "utf8")).toBe("text");
  });
});
