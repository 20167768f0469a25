/** A folder that is a disk of its own: which calls reach it, and that the machine gets all others. */
import fs, { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type Disk, disk, FIRST_DESCRIPTOR, mountDisk } from "../../../src/files/disk.js";

const OWN = FIRST_DESCRIPTOR + 7;
let seen: unknown[][];
let endMount: () => void;
let folder: string;

/** Answers with the name of the call. */
const other = new Proxy({} as Disk, {
  get:
    (_, name: string) =>
    (...given: unknown[]) => {
      seen.push([name, ...given]);
      if (name === "readdirSync") return String(given[0]).endsWith("empty") ? [] : ["a"];
      if (name === "openSync") return OWN;
      if (name === "readFileSync") return Buffer.from("text");
      if (name === "rmdirSync") throw new Error("not empty");
      return name;
    },
});

beforeEach(() => {
  seen = [];
  folder = mkdtempSync(path.join(tmpdir(), "hooklet-disk-"));
  endMount = mountDisk({ folder: "/simulated", disk: other, has: (descriptor) => descriptor === OWN });
});

afterEach(() => {
  endMount();
  rmSync(folder, { recursive: true });
});

test.each(["/simulated", "/simulated/a", `/proc/self/fd/${OWN}`, `/proc/self/fd/${OWN}/a`, `/proc/self/fdinfo/${OWN}`])(
  "%s is the disk's",
  async (place) => {
    expect(disk.statSync(place)).toBe("statSync");
    expect(await disk.stat(place)).toBe("statSync");
    expect(seen).toEqual([
      ["statSync", place],
      ["statSync", place],
    ]);
  },
);

test.each(["/simulatedness", "/other/simulated", `/proc/self/fd/${FIRST_DESCRIPTOR}`, `/proc/self/fds/${OWN}`])(
  "%s is the machine's",
  async (place) => {
    expect(() => disk.statSync(place)).toThrow("ENOENT");
    await expect(disk.stat(place)).rejects.toThrow("ENOENT");
    expect(seen).toEqual([]);
  },
);

test("a descriptor is the disk's that has it, a small one the machine's", () => {
  expect(disk.fstatSync(OWN)).toBe("fstatSync");
  const file = path.join(folder, "a");
  writeFileSync(file, "a");
  const descriptor = fs.openSync(file, "r");
  expect(disk.fstatSync(descriptor).isFile()).toBe(true);
  disk.closeSync(descriptor);
  expect(seen).toEqual([["fstatSync", OWN]]);
});

test("a link is made where it is to be, wherever it leads", () => {
  disk.symlinkSync("/elsewhere", "/simulated/link");
  expect(seen).toEqual([["symlinkSync", "/elsewhere", "/simulated/link"]]);
  disk.symlinkSync("/simulated/a", path.join(folder, "link"));
  expect(fs.readlinkSync(path.join(folder, "link"))).toBe("/simulated/a");
  expect(seen).toHaveLength(1);
});

test("a call by another thread rejects where the disk refuses", async () => {
  await expect(disk.rmdir("/simulated/a")).rejects.toThrow("not empty");
});

test("a folder is empty without entries, on both disks", async () => {
  expect(await disk.isEmptyFolder("/simulated/empty")).toBe(true);
  expect(await disk.isEmptyFolder("/simulated/a")).toBe(false);
  expect(await disk.isEmptyFolder(folder)).toBe(true);
  writeFileSync(path.join(folder, "a"), "");
  expect(await disk.isEmptyFolder(folder)).toBe(false);
});

test("what is written to a descriptor reaches its disk, and only the machine's is flushed", async () => {
  const data = Buffer.from("text");
  await disk.writeAll(OWN, data);
  await disk.sync(OWN);
  expect(seen).toEqual([["writeFileSync", OWN, data]]);
  const file = path.join(folder, "a");
  const descriptor = disk.openSync(file, "w");
  await disk.writeAll(descriptor, data);
  await disk.sync(descriptor);
  disk.closeSync(descriptor);
  expect(disk.readFileSync(file, "utf8")).toBe("text");
});

test("a file of the disk is read, streamed and closed by its descriptor", async () => {
  const file = await disk.open("/simulated/a", 5);
  const buffer = Buffer.alloc(4);
  expect(await file.stat()).toBe("fstatSync");
  expect(await file.read(buffer, 1, 2, 3)).toEqual({ buffer, bytesRead: "readSync" });
  const pieces: unknown[] = [];
  for await (const piece of file.createReadStream()) pieces.push(piece);
  await file.close();
  expect(pieces).toEqual([Buffer.from("text")]);
  expect(seen).toEqual([
    ["openSync", "/simulated/a", 5],
    ["fstatSync", OWN],
    ["readSync", OWN, buffer, 1, 2, 3],
    ["readFileSync", OWN],
    ["closeSync", OWN],
  ]);
});

test("once it is no longer mounted the folder is the machine's", () => {
  endMount();
  expect(() => disk.statSync("/simulated")).toThrow("ENOENT");
  expect(seen).toEqual([]);
});
