/** Pods write to their volumes while the agent looks: what it opens must be below the volume, whatever they do. */
import { chmod, mkdir, mkdtemp, readlink, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { openSubPath } from "../../src/sub-path-mounts.js";

describe("a sub path of a volume", () => {
  let scratch: string;
  let volume: string;
  let outside: string;

  beforeEach(async () => {
    scratch = await realpath(await mkdtemp(path.join(tmpdir(), "hooklet-sub-path-")));
    volume = path.join(scratch, "volume");
    outside = path.join(scratch, "outside");
    for (const folder of [volume, path.join(volume, "a/b"), outside]) await mkdir(folder, { recursive: true });
    await writeFile(path.join(volume, "file"), "text");
  });
  afterEach(() => rm(scratch, { recursive: true, force: true }));

  /** Where the opened place really is, by the kernel. */
  async function opened(subPath: string): Promise<string> {
    const { place } = await openSubPath(volume, subPath);
    try {
      return path.relative(scratch, await readlink(`/proc/self/fd/${place.fd}`));
    } finally {
      place.close();
    }
  }

  test.each([
    { name: "a directory", subPath: "a/b", expected: "volume/a/b" },
    { name: "a file", subPath: "file", expected: "volume/file" },
    { name: "with dots and slashes to spare", subPath: "./a//b/", expected: "volume/a/b" },
  ])("$name is opened", async ({ subPath, expected }) => {
    expect(await opened(subPath)).toBe(expected);
  });

  test("a link that stays in the volume is followed", async () => {
    await symlink("a", path.join(volume, "relative"));
    await symlink(path.join(volume, "a"), path.join(volume, "absolute"));
    expect(await opened("relative/b")).toBe("volume/a/b");
    expect(await opened("absolute/new")).toBe("volume/a/new");
  });

  test.each([
    { name: "a link out of the volume", link: "../outside", subPath: "link" },
    { name: "a folder behind such a link", link: "../outside", subPath: "link/new" },
    { name: "an absolute link", link: "/etc", subPath: "link/passwd" },
    { name: "a link to a neighbour whose name begins as the volume's", link: "../volume-2", subPath: "link" },
    { name: "a link to nothing", link: "../nothing", subPath: "link" },
  ])("$name is refused, and nothing is made outside", async ({ link, subPath }) => {
    await mkdir(path.join(scratch, "volume-2"));
    await symlink(link, path.join(volume, "link"));
    await expect(openSubPath(volume, subPath)).rejects.toThrow(
      `subPath ${JSON.stringify(subPath)} goes over a symbolic link that leaves the volume`,
    );
    await expect(stat(path.join(outside, "new"))).rejects.toThrow("ENOENT");
    await expect(stat(path.join(scratch, "nothing"))).rejects.toThrow("ENOENT");
  });

  test("missing parts are created with the volume's mode, with any umask", async () => {
    await chmod(volume, 0o2777);
    expect(await opened("new/deep")).toBe("volume/new/deep");
    for (const made of ["new", "new/deep"]) expect((await stat(path.join(volume, made))).mode & 0o7777).toBe(0o2777);
  });

  test("a way through a file is refused without a path of the node", async () => {
    await expect(openSubPath(volume, "file/below")).rejects.toThrow('subPath "file/below" cannot be opened: ENOTDIR');
  });

  test("a folder that is swapped for a link over and over never lets us out", async () => {
    await mkdir(path.join(outside, "b"));
    const way = path.join(volume, "a");
    // Now and then the agent makes the folder first: the loser of a race tries again.
    const lost = () => undefined;
    let busy = true;
    const attacker = (async () => {
      let swaps = 0;
      for (; busy; swaps++) {
        await rm(way, { recursive: true, force: true }).catch(lost);
        await symlink("../outside", way).catch(lost);
        await rm(way, { recursive: true, force: true }).catch(lost);
        await mkdir(path.join(way, "b"), { recursive: true }).catch(lost);
      }
      return swaps;
    })();
    const outcomes = new Map<string, number>();
    for (let i = 0; i < 400; i++) {
      const outcome = await opened("a/b").catch(() => "refused");
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    busy = false;
    expect([...outcomes.keys()].filter((place) => place.startsWith("outside"))).toEqual([]);
    expect(await attacker).toBeGreaterThan(20);
  });
});
