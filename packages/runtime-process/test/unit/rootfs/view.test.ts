/** What a container sees at a path, worked out from outside. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type Layer, LowerStats, RootView } from "../../../src/rootfs/view.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-view-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
function file(name: string): string {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), "");
  return at(name);
}
function link(name: string, target: string): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  symlinkSync(target, at(name));
}
const view = (...layers: readonly Layer[]) => new RootView(layers);
/** The root alone, in the folder `up`. */
const plain = () => {
  mkdirSync(at("up"), { recursive: true });
  return view({ at: "/", upper: at("up") });
};

describe("links", () => {
  test("are followed within the root, wherever they point", () => {
    file("up/etc/passwd");
    link("up/absolute", "/etc/passwd");
    link("up/a/climbing", "../../../../etc/./passwd");
    link("up/a/folder", "../etc");
    for (const path of ["/absolute", "/a/climbing", "/a/folder/passwd", "a//folder/./passwd", "/etc/../etc/passwd"]) {
      expect(plain().resolve(path)).toMatchObject({ path: "/etc/passwd", host: at("up/etc/passwd") });
    }
  });

  test("may be as many as 40 behind each other", () => {
    file("up/link0");
    for (let n = 1; n <= 41; n++) link(`up/link${n}`, `link${n - 1}`);
    expect(plain().resolve("/link40").path).toBe("/link0");
    expect(() => plain().resolve("/link41")).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: "/link41: too many levels of symbolic links" }),
    );
  });

  test("behind what is missing are none: the rest of the path is as it is written", () => {
    link("up/link", "/other");
    expect(plain().resolve("/none/link/x")).toEqual({ path: "/none/link/x" });
    expect(plain().resolve("/none/../link")).toEqual({ path: "/other" });
    expect(plain().resolve("/none/deep/../../link/x")).toEqual({ path: "/other/x" });
  });
});

test.each(["/", "", ".", "..", "/../.."])("%j is the root", (path) => {
  expect(plain().resolve(path)).toMatchObject({ path: "/", host: at("up") });
});

test.each([`/${"x".repeat(300)}`, "/file/below"])("what no file can be is missing: %s", (path) => {
  file("up/file");
  expect(plain().resolve(path)).toEqual({ path });
});

describe("layers", () => {
  test("the upper one hides the lower one; the deepest place counts", () => {
    for (const name of ["up/a", "low/a", "low/b", "deep/c", "up/data/c"]) file(name);
    const both = view({ at: "/", lower: at("low"), upper: at("up") }, { at: "/data", lower: at("deep") });
    expect(both.resolve("/a").host).toBe(at("up/a"));
    expect(both.resolve("/b").host).toBe(at("low/b"));
    expect(both.resolve("/data/c").host).toBe(at("deep/c"));
    expect(both.resolve("/data").host).toBe(at("deep"));
    expect(both.resolve("/database").host).toBeUndefined();
    expect(both.owner("/data/x/y")).toMatchObject({ mounted: false, rest: "x/y", layer: { at: "/data" } });
    expect(both.owner("/x")).toMatchObject({ rest: "x", layer: { at: "/" } });
  });

  test("a place of the lower one where the node has something mounted shows nothing below it", () => {
    for (const name of ["low/mnt/a", "low/mnt2/a", "up/mnt/b"]) file(name);
    const hidden = view({ at: "/", lower: at("low"), upper: at("up"), hides: [at("low/mnt")] });
    expect(hidden.resolve("/mnt/a").host).toBeUndefined();
    expect(hidden.resolve("/mnt2/a").host).toBe(at("low/mnt2/a"));
    expect(hidden.resolve("/mnt/b").host).toBe(at("up/mnt/b"));
  });

  test("the machine's own root has paths with one slash", () => {
    expect(view({ at: "/", lower: "/" }).resolve("/proc/self").host).toMatch(/^\/proc\/\d+$/);
  });

  test("a path without a layer is none of the container's", () => {
    expect(() => view({ at: "/data", lower: at("low") }).owner("/x")).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: "/x is not a path in the container" }),
    );
  });
});

describe("mounts", () => {
  test("cover what lies below; the deepest counts, and of two at one place the later", () => {
    for (const name of ["up/data/a", "one/a", "two/b", "deep/c"]) file(name);
    const mounted = plain();
    mounted.mount("/data", at("one"));
    mounted.mount("/data/deep", at("deep"));
    expect(mounted.resolve("/data/a").host).toBe(at("one/a"));
    mounted.mount("/data", at("two"));
    expect(mounted.resolve("/data/a").host).toBeUndefined();
    expect(mounted.resolve("/data/b").host).toBe(at("two/b"));
    expect(mounted.resolve("/data/deep/c").host).toBe(at("deep/c"));
    expect(mounted.owner("/data/deep/c")).toMatchObject({ mounted: true, rest: "c", layer: { at: "/data/deep" } });
    mounted.mount("/hosts", file("hosts"));
    expect(mounted.resolve("/hosts").host).toBe(at("hosts"));
  });
});

describe("what is kept of lower layers", () => {
  /** A clock that stands. */
  const clock = { time: 0, monotonic: () => clock.time };
  const kept = () => new RootView([{ at: "/", lower: at("low"), upper: at("up") }], new LowerStats(clock));
  beforeEach(() => {
    clock.time = 0;
    mkdirSync(at("low"));
    mkdirSync(at("up"));
  });

  test("is for a second, what is missing too", () => {
    const stats = new LowerStats(clock);
    expect(stats.lstat(at("low/a"))).toBeUndefined();
    file("low/a");
    clock.time = 1_000;
    expect(stats.lstat(at("low/a"))).toBeUndefined();
    clock.time = 1_001;
    expect(stats.lstat(at("low/a"))?.isFile()).toBe(true);
    rmSync(at("low/a"));
    clock.time = 2_001;
    expect(stats.lstat(at("low/a"))?.isFile()).toBe(true);
    clock.time = 2_002;
    expect(stats.lstat(at("low/a"))).toBeUndefined();
  });

  test("is ten thousand paths", () => {
    const stats = new LowerStats(clock);
    for (let n = 0; n <= 10_000; n++) stats.lstat(at(`low/${n}`));
    file("low/0");
    expect(stats.lstat(at("low/0"))?.isFile()).toBe(true);
  });

  test("of one view is until something is made in it, or mounted over it", () => {
    const cached = kept();
    expect(cached.resolve("/a").host).toBeUndefined();
    file("up/a");
    expect(cached.resolve("/a").host).toBeUndefined();
    cached.changed();
    expect(cached.resolve("/a").host).toBe(at("up/a"));
    file("volume/b");
    expect(cached.resolve("/data/b").host).toBeUndefined();
    cached.mount("/data", at("volume"));
    expect(cached.resolve("/data/b").host).toBe(at("volume/b"));
  });

  test("is nothing of the upper layer and of volumes, but of the kernel's file systems", () => {
    const stats = new LowerStats(clock);
    const shared = () => {
      const one = new RootView([{ at: "/", lower: at("low"), upper: at("up") }], stats);
      one.mount("/volume", at("volume"));
      one.mount("/kernel", at("kernel"), true);
      return one;
    };
    const paths = ["/a", "/volume/a", "/kernel/a"];
    for (const path of paths) expect(shared().resolve(path).host).toBeUndefined();
    for (const name of ["low/a", "volume/a", "kernel/a"]) file(name);
    expect(paths.map((path) => shared().resolve(path).host)).toEqual([undefined, at("volume/a"), undefined]);
    file("up/a");
    expect(shared().resolve("/a").host).toBe(at("up/a"));
  });

  test("is nothing without it", () => {
    const fresh = plain();
    expect(fresh.resolve("/a").host).toBeUndefined();
    file("up/a");
    expect(fresh.resolve("/a").host).toBe(at("up/a"));
  });
});
