import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Place } from "../../../src/files/place.js";
import { removeTree } from "../../../src/files/remove-tree.js";

const asRoot = process.getuid?.() === 0 ? test : test.skip;
let scratch: string;
let tree: string;
let outside: string;
beforeEach(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), "hooklet-files-"));
  tree = path.join(scratch, "tree");
  outside = path.join(scratch, "outside");
  mkdirSync(tree);
  mkdirSync(outside);
  writeFileSync(path.join(outside, "kept"), "kept");
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

describe("removal of a tree", () => {
  test("takes files, folders, links and what they hold, and is fine with none", async () => {
    mkdirSync(path.join(tree, "a/b"), { recursive: true });
    writeFileSync(path.join(tree, "a/b/f"), "");
    symlinkSync(outside, path.join(tree, "a/link"));
    symlinkSync("nowhere", path.join(tree, "dangling"));
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
    expect(readdirSync(outside)).toEqual(["kept"]);
    await removeTree(tree);
    await removeTree(path.join(tree, "below/nothing"));
  });

  test("a tree that is a link itself: the link goes, what it leads to stays", async () => {
    const link = path.join(scratch, "link");
    symlinkSync(outside, link);
    await removeTree(link);
    expect(existsSync(link)).toBe(false);
    expect(readdirSync(outside)).toEqual(["kept"]);
  });

  test("no depth uses up the descriptors", async () => {
    let here = tree;
    const before = process.cwd();
    try {
      for (let depth = 0; depth < 600; depth++) {
        mkdirSync(path.join(here, "d"));
        process.chdir(path.join(here, "d"));
        here = ".";
      }
    } finally {
      process.chdir(before);
    }
    let most = 0;
    const removal = removeTree(tree);
    const look = (): void => {
      most = Math.max(most, readdirSync("/proc/self/fd").length);
    };
    const watched = (async () => {
      while (existsSync(tree)) {
        look();
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await Promise.all([removal, watched]);
    expect(most).toBeLessThan(200);
  });

  asRoot(
    "what is mounted in it is not emptied: the removal says where, and takes it away once it is unmounted",
    async () => {
      const point = path.join(tree, "a/share");
      mkdirSync(point, { recursive: true });
      // Of the same file system: its device number says nothing.
      execFileSync("mount", ["--bind", outside, point]);
      try {
        await expect(removeTree(tree)).rejects.toThrow(
          `${tree} is not removed: something is mounted on share in it, or has it open`,
        );
      } finally {
        execFileSync("umount", ["-l", point]);
      }
      expect(readdirSync(outside)).toEqual(["kept"]);
      await removeTree(tree);
      expect(existsSync(tree)).toBe(false);
    },
  );

  asRoot("a tree that is a mount itself is not gone into", async () => {
    execFileSync("mount", ["--bind", outside, tree]);
    try {
      await expect(removeTree(tree)).rejects.toThrow(
        `${tree} is not removed: something is mounted on it, or has it open`,
      );
    } finally {
      execFileSync("umount", ["-l", tree]);
    }
    expect(readdirSync(outside)).toEqual(["kept"]);
  });

  asRoot("a file that cannot be removed is reported, in any folder", async () => {
    const file = path.join(tree, "a/kept for ever");
    mkdirSync(path.dirname(file));
    writeFileSync(file, "");
    execFileSync("chattr", ["+i", file]);
    try {
      await expect(removeTree(tree)).rejects.toMatchObject({ code: "EPERM", syscall: "unlink" });
      await expect(removeTree(file)).rejects.toMatchObject({ code: "EPERM" });
    } finally {
      execFileSync("chattr", ["-i", file]);
    }
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
  });

  test("a folder that is swapped for a link all the time leads nowhere", async () => {
    // As a container would: the same name is a folder, then a link to the outside, then a folder again.
    for (let round = 0; round < 40; round++) {
      mkdirSync(path.join(tree, "x"), { recursive: true });
      for (let file = 0; file < 20; file++) writeFileSync(path.join(tree, "x", `f${file}`), "");
      symlinkSync(outside, path.join(scratch, "spare"));
      let isLink = false;
      const removal = removeTree(path.join(tree, "x")).catch(() => undefined);
      const swap = (): void => {
        try {
          if (!isLink) {
            renameSync(path.join(tree, "x"), path.join(scratch, "aside"));
            renameSync(path.join(scratch, "spare"), path.join(tree, "x"));
          }
          isLink = true;
        } catch {
          // It was removed before.
        }
      };
      for (let turn = 0; turn < round % 8; turn++) await new Promise((resolve) => setImmediate(resolve));
      swap();
      await removal;
      for (const left of ["spare", "aside", "tree/x"])
        rmSync(path.join(scratch, left), { recursive: true, force: true });
    }
    expect(readFileSync(path.join(outside, "kept"), "utf8")).toBe("kept");
  });
});

describe("a place that is held open", () => {
  test("takes names of entries alone", () => {
    Place.with(tree, (place) => {
      for (const name of ["", ".", "..", "a/b", "a\0"])
        expect(() => place.at(name)).toThrow("expected the name of one entry");
    });
  });

  test("stays the folder that it was when its path becomes a link", () => {
    Place.with(tree, (place) => {
      renameSync(tree, path.join(scratch, "moved"));
      symlinkSync(outside, tree);
      place.folder("made", 0o750)?.close();
    });
    expect(readdirSync(outside)).toEqual(["kept"]);
    expect(readdirSync(path.join(scratch, "moved"))).toEqual(["made"]);
  });

  test("goes down over folders alone", () => {
    mkdirSync(path.join(tree, "a"));
    symlinkSync(outside, path.join(tree, "a/link"));
    Place.with(tree, (place) => {
      expect(() => place.descend(["a", "link"])).toThrow("link: expected a directory, found a symbolic link");
      expect(() => place.descend(["a", "none"])).toThrow("no such file or directory");
      expect(place.folder("a", 0o700)?.stat.isDirectory()).toBe(true);
    });
  });
});
