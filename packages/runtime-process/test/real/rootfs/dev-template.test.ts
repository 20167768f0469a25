import { execFileSync } from "node:child_process";
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
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { makeDevTemplate } from "../../../src/rootfs/system-mounts.js";

let base: string;
let folder: string;
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), "hooklet-dev-"));
  folder = path.join(base, "dev");
  mkdirSync(folder);
});
afterEach(() => rmSync(base, { recursive: true }));

const shape = (): unknown =>
  readdirSync(folder)
    .sort()
    .map((name) => {
      const found = lstatSync(path.join(folder, name));
      return [name, found.isFile() ? "file" : found.isDirectory() ? "folder" : readlinkSync(path.join(folder, name))];
    });

test("what is there as it was made is left alone: containers run on it", async () => {
  await makeDevTemplate(folder);
  const before = readdirSync(folder).map((name) => lstatSync(path.join(folder, name)).ino);
  await makeDevTemplate(folder);
  expect(readdirSync(folder).map((name) => lstatSync(path.join(folder, name)).ino)).toEqual(before);
});

test.each<[string, string, (file: string) => void]>([
  ["a folder in place of a device", "zero", (file) => mkdirSync(path.join(file, "in the way"), { recursive: true })],
  ["a link in place of a device", "null", (file) => symlinkSync(path.join(base, "outside"), file)],
  ["a FIFO in place of a device", "tty", (file) => execFileSync("mkfifo", [file])],
  ["a file in place of a folder", "shm", (file) => writeFileSync(file, "")],
  ["a link to elsewhere in place of a folder", "pts", (file) => symlinkSync(base, file)],
  ["a link to elsewhere in place of a link", "fd", (file) => symlinkSync("/etc", file)],
])(
  "%s is removed: nothing is mounted over it, and no container loses its isolation for it",
  async (_name, name, put) => {
    writeFileSync(path.join(base, "outside"), "theirs");
    await makeDevTemplate(folder);
    const before = shape();
    rmSync(path.join(folder, name), { recursive: true });
    put(path.join(folder, name));
    await makeDevTemplate(folder);
    expect(shape()).toEqual(before);
    expect(readFileSync(path.join(base, "outside"), "utf8")).toBe("theirs");
  },
);
