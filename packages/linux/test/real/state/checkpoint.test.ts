import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, type Json, systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import fc from "fast-check";
import { decodeChecked, encodeChecked, writeFileAtomic } from "../../../src/state/atomic-file.js";
import { openCheckpoint } from "../../../src/state/checkpoint.js";

let folder: string;
let path: string;
let damages: [string, string | undefined, string][];
const clock: Clock = { ...systemClock, now: () => Date.UTC(2026, 10, 21, 9, 54, 23, 889) };
const open = (at = path) => openCheckpoint(at, { clock, onDamaged: (...damage) => damages.push(damage) });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hooklet-state-"));
  path = join(folder, "pods", "one.json");
  damages = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("what was written is read, by a later life too", async () => {
  expect(await open().read()).toBeUndefined();
  await open().write({ pods: ["a", 1, null] });
  expect(await open().read()).toEqual({ pods: ["a", 1, null] });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("any JSON comes back as it was, and any changed, lost or added byte is noticed", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), fc.integer({ min: 1, max: 255 }), (value, at, change) => {
      const normal = JSON.parse(JSON.stringify(value)) as Json;
      const text = encodeChecked(normal);
      expect(decodeChecked(text)).toEqual(normal);
      const bytes = Buffer.from(text);
      const index = at % bytes.length;
      expect(() => decodeChecked(bytes.subarray(0, index).toString("latin1"))).toThrow(/State file is damaged/);
      expect(() => decodeChecked(`${text} `)).toThrow(/bytes/);
      bytes[index] = ((bytes[index] ?? 0) + change) % 256;
      expect(() => decodeChecked(bytes.toString("utf8"))).toThrow(/State file is damaged/);
    }),
  );
});

test.each([
  ["half a file", (text: string) => text.slice(0, text.length / 2)],
  ["an empty file", () => ""],
  ["zeroes, as some file systems leave after a power cut", (text: string) => "\0".repeat(text.length)],
  ["a newer format", (text: string) => text.replace("state/1", "state/2")],
])("%s is moved aside under its time, reported, and read as nothing", async (_name, damage) => {
  await open().write({ a: 1 });
  const good = await readFile(path, "utf8");
  await writeFile(path, damage(good));
  expect(await open().read()).toBeUndefined();
  const aside = `${path}.corrupt-20261121T095423.889Z`;
  expect(damages).toEqual([[path, aside, expect.stringMatching(/^State file is damaged: /)]]);
  expect(await readFile(aside, "utf8")).toBe(damage(good));
  await open().write({ a: 2 });
  expect(await open().read()).toEqual({ a: 2 });
});

test("a crash in the middle of a write leaves the old content, and its leftover goes", async () => {
  await open().write("old");
  await writeFile(join(folder, "pods", ".one.json.tmp"), "hooklet-sta");
  expect(await open().read()).toBe("old");
  expect(await readdir(join(folder, "pods"))).toEqual(["one.json"]);
});

test("of many writes at once the newest wins, and overtaken ones are not written", async () => {
  const checkpoint = open();
  await Promise.all(Array.from({ length: 500 }, (_, i) => checkpoint.write(i)));
  expect(await checkpoint.read()).toBe(499);
  await Promise.all([checkpoint.write("x"), checkpoint.write("y")]);
  expect(await checkpoint.read()).toBe("y");
});

test("writes of one path through different objects are done in order", async () => {
  const file = join(folder, "plain");
  await Promise.all(Array.from({ length: 50 }, (_, i) => writeFileAtomic(file, `${i}`, { mode: 0o640 })));
  expect(await readFile(file, "utf8")).toBe("49");
  expect((await stat(file)).mode & 0o777).toBe(0o640);
});

test("a write that cannot be done names the path and keeps the old content", async () => {
  await open().write("old");
  const blocked = join(path, "child");
  await expect(open(blocked).write("new")).rejects.toMatchObject({
    code: "STATE_UNWRITABLE",
    message: expect.stringContaining(blocked),
  });
  expect(await open().read()).toBe("old");
});

test("a state file that cannot be read is an error, not a loss", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  await expect(open(join(file, "below.json")).read()).rejects.toMatchObject({ code: "STATE_UNREADABLE" });
  expect(damages).toEqual([]);
});

const canMount = ((): boolean => {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

(canMount ? test : test.skip)(
  "a full disk, then a read-only one: the write rejects, the old content stays",
  async () => {
    const disk = await mkdtemp(join(tmpdir(), "hooklet-disk-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", disk]);
    try {
      const file = join(disk, "state.json");
      await open(file).write("old");
      await expect(open(file).write("x".repeat(100_000))).rejects.toMatchObject({
        code: "STATE_UNWRITABLE",
        message: expect.stringMatching(/state\.json: ENOSPC.*free some space/),
      });
      expect(await readdir(disk)).toEqual(["state.json"]);
      expect(await open(file).read()).toBe("old");
      execFileSync("mount", ["-o", "remount,ro", disk]);
      await expect(open(file).write("new")).rejects.toThrow(/EROFS.*read-write/);
      expect(await open(file).read()).toBe("old");
    } finally {
      execFileSync("umount", [disk]);
      await rm(disk, { recursive: true, force: true });
    }
  },
);

test.each<[string, (outside: string) => Promise<unknown> | unknown]>([
  ["a directory", () => mkdir(join(path, "in the way"), { recursive: true })],
  ["a FIFO", () => execFileSync("mkfifo", [path])],
  ["a link to nothing", () => symlink("/nowhere/at/all", path)],
  ["a link to a whole state file elsewhere", (outside) => symlink(outside, path)],
])("%s in its place is moved aside unread, and the next write creates the file", async (_name, put) => {
  const outside = join(folder, "outside.json");
  await open(outside).write("theirs");
  await mkdir(join(folder, "pods"));
  await put(outside);
  expect(await open().read()).toBeUndefined();
  expect(damages).toEqual([
    [path, `${path}.corrupt-20261121T095423.889Z`, expect.stringMatching(/^expected a file of .* found /)],
  ]);
  await open().write("ours");
  expect(await open().read()).toBe("ours");
  expect(await open(outside).read()).toBe("theirs");
});
