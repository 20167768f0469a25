import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { writeOwn } from "../../../src/files/own-files.js";
import { writeFileAtomic } from "../../../src/state/atomic-file.js";
import { lockRootDir } from "../../../src/state/lock.js";
import { keepReserve } from "../../../src/state/reserve.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "own-"));
  file = path.join(folder, "state");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fifo = (at: string): void => void execFileSync("mkfifo", [at]);

test.each([
  ["nothing", () => {}],
  ["an older text", () => writeFileSync(file, "older, and longer than what comes")],
  ["a FIFO without a reader", () => fifo(file)],
  ["a link to a file of others", () => symlinkSync(path.join(folder, "others"), file)],
  ["a link to a device without end", () => symlinkSync("/dev/zero", file)],
])("in place of %s the text stands, and others' files are as they were", (_name, damage) => {
  writeFileSync(path.join(folder, "others"), "theirs");
  damage();
  writeOwn(file, "ours", 0o600);
  expect(lstatSync(file).isFile()).toBe(true);
  expect(readFileSync(file, "utf8")).toBe("ours");
  expect(readFileSync(path.join(folder, "others"), "utf8")).toBe("theirs");
});

test("a socket in its place is removed", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(file, resolve));
  writeOwn(file, "ours", 0o600);
  expect(readFileSync(file, "utf8")).toBe("ours");
  await new Promise((resolve) => server.close(resolve));
});

test("a folder in its place is moved aside with all that it holds", () => {
  mkdirSync(file);
  writeFileSync(path.join(file, "theirs"), "theirs");
  writeOwn(file, "ours", 0o600);
  expect(readFileSync(file, "utf8")).toBe("ours");
  const aside = readdirSync(folder).filter((name) => name.startsWith("state.corrupt-"));
  expect(aside.map((name) => readFileSync(path.join(folder, name, "theirs"), "utf8"))).toEqual(["theirs"]);
});

test("a folder where an atomic write has its temporary file keeps nothing from being written", async () => {
  mkdirSync(path.join(folder, ".state.tmp"));
  await writeFileAtomic(file, "ours");
  expect(readFileSync(file, "utf8")).toBe("ours");
});

test("a FIFO in place of an atomic write's temporary file does not block", async () => {
  fifo(path.join(folder, ".state.tmp"));
  await writeFileAtomic(file, "ours");
  expect(readFileSync(file, "utf8")).toBe("ours");
});

test("a FIFO in place of the reserve does not block", async () => {
  fifo(path.join(folder, "reserve"));
  await keepReserve(folder, { statfs: async () => ({ availableBytes: 2 ** 40 }) });
  expect(lstatSync(path.join(folder, "reserve")).size).toBe(1024 ** 2);
});

test("a FIFO in place of the lock does not block, and the next agent is kept out", async () => {
  fifo(path.join(folder, "lock"));
  const lock = await lockRootDir(folder, systemClock);
  await expect(lockRootDir(folder, systemClock)).rejects.toMatchObject({ code: "ROOT_DIR_LOCKED" });
  await lock.release();
});
