import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { releaseMounts } from "../../../../../volumes/src/sub-path-mounts.js";
import { PodVolumes } from "../../../../src/pod/life/volumes.js";
import { aPod } from "../../../pod/pods.js";

const MiB = 1024 * 1024;
const inMemory = (sizeLimit?: string) => ({
  name: "fast",
  emptyDir: { medium: "Memory", ...(sizeLimit && { sizeLimit }) },
});

(process.getuid?.() === 0 ? describe : describe.skip)("a volume in memory, as root", () => {
  let scratch: string;
  let volumes: PodVolumes;
  const pod = aPod({ volumes: [inMemory("1Mi")] }, { uid: "u1" });
  const place = () => volumes.volumePath(pod, inMemory());
  beforeEach(async () => {
    scratch = await mkdtemp(path.join(tmpdir(), "hooklet-memory-"));
    volumes = new PodVolumes(path.join(scratch, "agent"), { memoryDir: path.join(scratch, "shm") });
    mkdirSync(path.join(scratch, "shm"));
  });
  afterEach(async () => {
    await releaseMounts(scratch);
    rmSync(scratch, { recursive: true, force: true });
  });
  const mounted = () =>
    readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .filter((line) => line.includes(scratch));

  test("is a private tmpfs below the pod's directory", async () => {
    await volumes.prepare(pod, new AbortController().signal);
    expect(mounted()).toEqual([expect.stringMatching(/ rw,nosuid,nodev,.* - tmpfs tmpfs rw,size=1024k$/)]);
    expect(lstatSync(volumes.podDir("u1")).mode & 0o777).toBe(0o700);
    expect(readdirSync(path.join(scratch, "shm"))).toEqual([]);
    expect(lstatSync(place()).mode & 0o7777).toBe(0o1777);
  });

  test("takes no more than its limit", async () => {
    await volumes.prepare(pod, new AbortController().signal);
    expect(() => writeFileSync(path.join(place(), "f"), Buffer.alloc(2 * MiB))).toThrow("ENOSPC");
  });

  test("is made once, with any content; is removed with its content", async () => {
    await volumes.prepare(pod, new AbortController().signal);
    writeFileSync(path.join(place(), "f"), "kept");
    await volumes.prepare(pod, new AbortController().signal);
    expect([mounted().length, readFileSync(path.join(place(), "f"), "utf8")]).toEqual([1, "kept"]);
    await volumes.clear(pod);
    expect(mounted()).toEqual([]);
    await volumes.remove(pod);
    expect(readdirSync(path.join(scratch, "agent/pods"))).toEqual([]);
  });

  test("a link in its place is not followed", async () => {
    const above = path.dirname(place());
    mkdirSync(above, { recursive: true });
    symlinkSync("/etc", place());
    await expect(volumes.prepare(pod, new AbortController().signal)).rejects.toThrow("fast is in the way");
    expect(mounted()).toEqual([]);
  });

  test("an ordinary user's lies in a private folder; one that another user made first is refused", () => {
    const source = path.resolve(import.meta.dirname, "../../../../../volumes/dist/memory-volumes.js");
    const shm = path.join(scratch, "shm");
    execFileSync("chmod", ["1777", scratch, shm]);
    const script = `const { MemoryVolumes } = await import(${JSON.stringify(source)});
      const volumes = new MemoryVolumes({ rootDir: "/nowhere", mounts: true, sharedDir: ${JSON.stringify(shm)} });
      await volumes.prepare({ uid: "u1", steps: ["volumes", "fast"], mode: 0o777 }).then(() => console.log("made"), (e) => console.log(e.message));`;
    const removal = `${script}
      await volumes.prepare({ uid: "u2", steps: ["fast"], mode: 0o777 });
      const left = [];
      for (const uid of ["u1", "u2"]) { await volumes.remove(uid); left.push((await import("node:fs")).readdirSync(${JSON.stringify(shm)}).length); }
      console.log(left.join());`;
    const asUser = (uid: number, text = script) =>
      execFileSync(
        "setpriv",
        [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", process.execPath, "--input-type=module", "-e", text],
        { encoding: "utf8" },
      );
    expect(asUser(65534, removal)).toBe("made\n1,0\n");
    expect(asUser(65534)).toBe("made\n");
    const [top = ""] = readdirSync(shm);
    expect(lstatSync(path.join(shm, top)).mode & 0o777).toBe(0o700);
    expect(asUser(65533)).toContain("is in the way: expected a directory of this user that no other user can enter");
    rmSync(path.join(shm, top), { recursive: true });
    symlinkSync(scratch, path.join(shm, top));
    expect(asUser(65534)).toContain("is in the way");
  });
});
