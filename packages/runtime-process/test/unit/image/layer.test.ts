/** What the entries of a layer make of a root directory. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Budget, DEFAULT_BOUNDS } from "../../../src/image/bounds.js";
import { type LayerEntry, LayerWriter } from "../../../src/image/layer.js";

let folder: string;
let root: string;
let writer: LayerWriter;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-layer-"));
  root = join(folder, "root");
  mkdirSync(root);
  writer = new LayerWriter(root, new Budget(DEFAULT_BOUNDS));
});
afterEach(() => rmSync(folder, { recursive: true }));

const apply = (
  name: string,
  type = "file",
  more: Partial<LayerEntry> = {},
  content: Readable | string = Readable.from([`in ${name}`]),
) => writer.apply({ name, type, ...more }, content);
const inside = (name: string) => join(root, name);
const text = (name: string) => readFileSync(inside(name), "utf8");
const all = () => readdirSync(root, { recursive: true }).map(String).sort();
const refused = (name: string, why: string) =>
  expect.objectContaining({ code: "invalid-argument", message: `the archive's entry ${JSON.stringify(name)} ${why}` });

describe("an entry", () => {
  test.each(["a/b", "/a/b", "./a//b", "a/./b"])(
    "%s lies in the root, with the folders that are missing",
    async (name) => {
      await apply(name);
      expect(text("a/b")).toBe(`in ${name}`);
      expect(lstatSync(inside("a")).mode & 0o777).toBe(0o755);
    },
  );

  test("brings all folders above it that are missing", async () => {
    await apply("x/y/z");
    expect(text("x/y/z")).toBe("in x/y/z");
    expect(["x", "x/y"].map((name) => lstatSync(inside(name)).mode & 0o777)).toEqual([0o755, 0o755]);
  });

  test.each(["..", "../x", "a/../x", "a/.."])("%s leaves the root, and is refused", async (name) => {
    await expect(apply(name)).rejects.toEqual(refused(name, "leaves the image's root"));
    expect(all()).toEqual([]);
  });

  test("has no name that no file can have", async () => {
    const why = "has a name that no file can have";
    await expect(apply("a\0")).rejects.toEqual(refused("a\0", why));
    await expect(apply("x".repeat(4097))).rejects.toEqual(refused("x".repeat(300), why));
    await apply(`${"./".repeat(2047)}ab`);
    expect(all()).toEqual(["ab"]);
    await expect(apply("link", "symlink", { linkname: "a\0" })).rejects.toEqual(refused("link", why));
  });

  test("has its mode, its time and, where the agent is root, its owner; a damaged time or owner counts for nothing", async () => {
    const mtime = new Date(1_000_000_000_000);
    await apply("a", "file", { mode: 0o4711, mtime, uid: 7, gid: 8 });
    const asRoot = process.getuid?.() === 0;
    const found = lstatSync(inside("a"));
    expect([found.mode & 0o7777, found.mtime]).toEqual([asRoot ? 0o4711 : 0o4711 | 0o400, mtime]);
    if (asRoot) expect([found.uid, found.gid]).toEqual([7, 8]);
    await apply("b", "file", { mtime: new Date(Number.NaN), uid: -1, gid: 2 ** 32 - 1 });
    const other = lstatSync(inside("b"));
    expect(other.mode & 0o7777).toBe(0o644);
    if (asRoot) expect([other.uid, other.gid]).toEqual([0, 0]);
    await apply("c", "file", { uid: 0.5, gid: 2 ** 32 - 2 });
    if (asRoot) expect([lstatSync(inside("c")).uid, lstatSync(inside("c")).gid]).toEqual([0, 2 ** 32 - 2]);
  });

  test("of the root itself sets its attributes, and is nothing else", async () => {
    await apply("./", "directory", { mode: 0o711 });
    expect(lstatSync(root).mode & 0o777).toBe(0o711);
    await apply(".", "file", { mode: 0o700 });
    expect(lstatSync(root).mode & 0o777).toBe(0o711);
  });

  test.each(["character-device", "block-device", "fifo"])("%s is left out, and counted", async (type) => {
    await apply("x", type);
    expect([all(), writer.skipped]).toEqual([[], 1]);
  });

  test.each([["pax-header"], [undefined], [null]])("of type %j is refused", async (type) => {
    await expect(writer.apply({ name: "x", type }, "")).rejects.toEqual(
      refused("x", `is of type ${type ?? "unknown"}, expected a file, directory or link`),
    );
  });

  test("counts for the bound of files", async () => {
    writer = new LayerWriter(root, new Budget({ ...DEFAULT_BOUNDS, maxEntries: 1 }));
    await apply("a");
    await expect(apply("b")).rejects.toThrow("more than 1 files");
  });

  test("with a file of its own in the store is a link to it, with the attributes that it has", async () => {
    writeFileSync(join(folder, "stored"), "kept", { mode: 0o640 });
    await apply("a", "contiguous-file", { mode: 0o777 }, join(folder, "stored"));
    expect(lstatSync(inside("a")).ino).toBe(lstatSync(join(folder, "stored")).ino);
    expect(lstatSync(inside("a")).mode & 0o777).toBe(0o640);
  });
});

describe("what is there already", () => {
  test("is replaced by an entry of another type, and a file by a file; a folder keeps what is in it", async () => {
    await apply("a/b");
    await apply("a", "directory", { mode: 0o750 });
    expect([all(), lstatSync(inside("a")).mode & 0o777]).toEqual([["a", "a/b"], 0o750]);
    await apply("a/b", "file", {}, Readable.from(["new"]));
    expect(text("a/b")).toBe("new");
    await apply("a");
    expect([all(), text("a")]).toEqual([["a"], "in a"]);
    await apply("a", "directory");
    expect(lstatSync(inside("a")).isDirectory()).toBe(true);
  });

  test("and is a link leads on within the root alone", async () => {
    writeFileSync(join(folder, "outside"), "kept");
    mkdirSync(inside("real"));
    symlinkSync("/real", inside("absolute"));
    symlinkSync("../..", inside("climbing"));
    await apply("absolute/a");
    await apply("climbing/outside");
    expect([text("real/a"), text("outside")]).toEqual(["in absolute/a", "in climbing/outside"]);
    expect(readFileSync(join(folder, "outside"), "utf8")).toBe("kept");
  });

  test("and is a file has nothing below it", async () => {
    await apply("a");
    for (const name of ["a/b", "a/b/c"]) {
      await expect(apply(name)).rejects.toEqual(refused(name, "lies below something that is no directory"));
    }
  });
});

describe("links", () => {
  test("a symbolic link has its text as it is", async () => {
    await apply("link", "symlink", { linkname: "../../etc/passwd", mode: 0o700 });
    expect(readlinkSync(inside("link"))).toBe("../../etc/passwd");
  });

  test("a hard link is the file that it names, whose attributes stay", async () => {
    await apply("a/file", "file", { mode: 0o600 });
    await apply("hard", "link", { linkname: "/a/file", mode: 0o777 });
    expect(lstatSync(inside("hard")).ino).toBe(lstatSync(inside("a/file")).ino);
    expect(lstatSync(inside("hard")).mode & 0o777).toBe(0o600);
  });

  test.each(["none", "a", "", undefined])(
    "a hard link to %j is refused: that is no file of the image",
    async (linkname) => {
      await apply("a", "directory");
      await expect(apply("hard", "link", { linkname })).rejects.toEqual(
        refused("hard", `is a hard link to ${linkname}, which is no file in the image`),
      );
    },
  );

  test("a hard link does not climb out", async () => {
    await expect(apply("hard", "link", { linkname: "../x" })).rejects.toEqual(
      refused("../x", "leaves the image's root"),
    );
  });
});

describe("whiteouts", () => {
  test("hide what lower layers have, and nothing of their own layer", async () => {
    for (const name of ["a/low", "a/both", "b"]) await apply(name);
    writer.nextLayer();
    await apply("a/both");
    for (const name of ["a/.wh.low", "a/.wh.both", ".wh.b", ".wh.none"]) await apply(name);
    expect(all()).toEqual(["a", "a/both"]);
  });

  test("hide all that lower layers have in a folder, in folders that both have too", async () => {
    for (const name of ["a/low", "a/both/low", "a/gone/x", "b"]) await apply(name);
    writer.nextLayer();
    await apply("a/both/high");
    await apply("a/.wh..wh..opq");
    await apply("a/later");
    expect(all()).toEqual(["a", "a/both", "a/both/high", "a/later", "b"]);
  });

  test.each([".wh.", ".wh..", ".wh..."])("%s hides nothing, and is refused", async (name) => {
    await expect(apply(`a/${name}`)).rejects.toEqual(refused(`a/${name}`, "is a whiteout of nothing"));
  });

  test("of other tools' own files mean nothing", async () => {
    await apply(".wh..wh.plnk");
    expect(all()).toEqual([]);
  });
});
