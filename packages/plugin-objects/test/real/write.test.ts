import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Payload, PayloadError, writeVolume } from "../../src/internal.js";

let folder = "";
const now = Date.UTC(2026, 10, 22, 7, 45, 1);
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hooklet-volume-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const payload = (files: Record<string, string>, mode = 0o644): Payload =>
  new Map(Object.entries(files).map(([file, text]) => [file, { data: Buffer.from(text), mode }]));

/** What somebody reads who follows the links. */
function seen(at = folder): Record<string, string> {
  const files = readdirSync(at).flatMap((name): [string, string][] => {
    if (name.startsWith("..")) return [];
    const place = path.join(at, name);
    if (!statSync(place).isDirectory()) return [[name, readFileSync(place, "utf8")]];
    return Object.entries(seen(place)).map(([below, text]) => [`${name}/${below}`, text]);
  });
  return Object.fromEntries(files);
}

test("files are in a timestamped folder, ..data links to it, and every entry links through ..data", async () => {
  await writeVolume(folder, payload({ a: "1", "dir/b": "2" }, 0o440), { now });
  expect(readlinkSync(path.join(folder, "..data"))).toMatch(/^\.\.2026_11_22_07_45_01\.\w{6}$/);
  expect(readlinkSync(path.join(folder, "a"))).toBe("..data/a");
  expect(readlinkSync(path.join(folder, "dir"))).toBe("..data/dir");
  expect(statSync(path.join(folder, "dir/b")).mode & 0o7777).toBe(0o440);
  expect(statSync(path.join(folder, "..data/")).mode & 0o7777).toBe(0o755);
  expect(seen()).toEqual({ a: "1", "dir/b": "2" });
});

test("a change comes whole by one rename, what is gone goes, and the old folder is removed", async () => {
  await writeVolume(folder, payload({ a: "1", old: "x" }), { now });
  const before = readlinkSync(path.join(folder, "..data"));
  expect(await writeVolume(folder, payload({ a: "2", "new/c": "3" }), { now })).toBe(true);
  expect(seen()).toEqual({ a: "2", "new/c": "3" });
  expect(readdirSync(folder)).not.toContain(before);
  expect(readdirSync(folder).sort()).toEqual(["..data", readlinkSync(path.join(folder, "..data")), "a", "new"].sort());
});

test("equal content writes nothing, and mends a link that is missing", async () => {
  await writeVolume(folder, payload({ a: "1" }), { now });
  const before = readlinkSync(path.join(folder, "..data"));
  rmSync(path.join(folder, "a"));
  expect(await writeVolume(folder, payload({ a: "1" }), { now: now + 1000 })).toBe(false);
  expect(readlinkSync(path.join(folder, "..data"))).toBe(before);
  expect(seen()).toEqual({ a: "1" });
});

test("what a crash left half written does not stop the next write, and goes", async () => {
  mkdirSync(path.join(folder, "..2020_01_01_00_00_00.abcdef"));
  symlinkSync("..2020_01_01_00_00_00.abcdef", path.join(folder, "..data_tmp"));
  await writeVolume(folder, payload({ a: "1" }), { now });
  expect(readdirSync(folder)).toHaveLength(3);
});

test("places where others are mounted are made, and stay", async () => {
  await writeVolume(folder, payload({ a: "1" }), { now, nested: ["sub/deep"] });
  await writeVolume(folder, payload({ a: "2" }), { now, nested: ["sub/deep"] });
  expect(lstatSync(path.join(folder, "sub/deep")).isDirectory()).toBe(true);
});

test("a place for another mount that lies outside of the volume is refused, and not made", async () => {
  await expect(writeVolume(folder, payload({ a: "1" }), { now, nested: ["../made"] })).rejects.toThrow(PayloadError);
  expect(existsSync(path.join(folder, "../made"))).toBe(false);
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;
asRoot("an fsGroup gets all of it to read, and folders that hand the group on", async () => {
  await writeVolume(folder, new Map([["dir/a", { data: Buffer.from("1"), mode: 0o600, owner: 1234 }]]), {
    now,
    group: 4321,
  });
  const file = statSync(path.join(folder, "dir/a"));
  expect([file.mode & 0o7777, file.uid, file.gid]).toEqual([0o640, 1234, 4321]);
  const inside = statSync(path.join(folder, "..data/dir"));
  expect([inside.mode & 0o7777, inside.gid]).toEqual([0o2755, 4321]);
});

test.each(["", "/etc/passwd", "a/../../b", "..", "..data/x", "a/", "x".repeat(256), "."])(
  "the path %j is refused or stays below",
  async (file) => {
    const outside = path.join(folder, "v");
    mkdirSync(outside);
    await writeVolume(outside, payload({ [file]: "1" }), { now }).catch(() => undefined);
    expect(readdirSync(folder)).toEqual(["v"]);
  },
);

describe("what lies in the volume leads nowhere else", () => {
  let outside = "";
  beforeEach(() => {
    outside = path.join(folder, "outside");
    mkdirSync(outside);
    mkdirSync(path.join(folder, "volume"));
  });
  const volume = (...steps: string[]): string => path.join(folder, "volume", ...steps);

  test("a link in the place of a version is no version: what it leads to is not taken for the volume's content", async () => {
    writeFileSync(path.join(outside, "a"), "1");
    symlinkSync(outside, volume("..2020_01_01_00_00_00.abcdef"));
    symlinkSync("..2020_01_01_00_00_00.abcdef", volume("..data"));
    expect(await writeVolume(volume(), payload({ a: "1" }), { now })).toBe(true);
    expect(readlinkSync(volume("..data"))).toMatch(/^\.\.2026_/);
    expect(readdirSync(outside)).toEqual(["a"]);
  });

  test("a link in the place of a folder for another mount: nothing is made where it leads", async () => {
    symlinkSync(outside, volume("sub"));
    await writeVolume(volume(), payload({ a: "1" }), { now, nested: ["sub/deep"] });
    expect(readdirSync(outside)).toEqual([]);
  });

  test("a link in the place of the volume is not written through", async () => {
    symlinkSync(outside, volume("link"));
    await expect(writeVolume(volume("link"), payload({ a: "1" }), { now })).rejects.toThrow("expected a directory");
    expect(readdirSync(outside)).toEqual([]);
  });

  asRoot("a mount in an old version is not emptied with it", async () => {
    await writeVolume(volume(), payload({ "dir/a": "1" }), { now });
    const mounted = volume("..data/dir");
    writeFileSync(path.join(outside, "precious"), "");
    execFileSync("mount", ["--bind", outside, mounted]);
    try {
      await writeVolume(volume(), payload({ "dir/a": "2" }), { now }).catch(() => undefined);
      expect(readdirSync(outside)).toEqual(["precious"]);
      expect(readFileSync(volume("..data/dir/a"), "utf8")).toBe("2");
    } finally {
      execFileSync("sh", ["-c", `umount -q "${volume()}"/..20*/dir; true`]);
    }
  });
});

test("any payload after any other is what is read afterwards", async () => {
  const name = fc.stringMatching(/^[a-z]{1,3}$/);
  const files = fc
    .dictionary(
      fc.oneof(
        name,
        fc.tuple(name, name).map(([a, b]) => `${a}-dir/${b}`),
      ),
      fc.string({ maxLength: 8 }),
      { maxKeys: 6 },
    )
    .map((one) => ({ ...one }));
  await fc.assert(
    fc.asyncProperty(files, files, async (first, second) => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      await writeVolume(folder, payload(first), { now });
      await writeVolume(folder, payload(second), { now });
      expect(seen()).toEqual(second);
      expect(readdirSync(folder).filter((entry) => entry.startsWith(".."))).toHaveLength(2);
    }),
    { numRuns: 60 },
  );
});
