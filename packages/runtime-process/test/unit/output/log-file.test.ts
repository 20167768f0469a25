/** A container's log: no output is in it twice, and none in part. */
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { appendWhole, openLog, withoutRepeat } from "../../../src/output/log-file.js";

let folder: string;
let file: string;
let log: number | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-log-"));
  file = join(folder, "0.log");
});
afterEach(() => {
  if (log !== undefined) closeSync(log);
  log = undefined;
  rmSync(folder, { recursive: true });
});

const opened = (): number => {
  log = openLog(file);
  return log;
};
const inode = (path: string) => String(statSync(path, { bigint: true }).ino);
const text = (path = file) => readFileSync(path, "utf8");

test("a log is made when it is not there, and gets longer otherwise", async () => {
  await appendWhole(opened(), Buffer.from("one"), 0);
  expect(statSync(file).mode & 0o777).toBe(0o640);
  await appendWhole(opened(), Buffer.from("two"), 3);
  expect(text()).toBe("onetwo");
});

test("a link in the place of a log is not followed", () => {
  writeFileSync(join(folder, "other"), "");
  symlinkSync(join(folder, "other"), file);
  expect(() => opened()).toThrow();
});

test.each([
  ["what was appended and not noted is cut off", 3, "one", 3],
  ["as much as was noted stays", 6, "onetwo", 6],
  ["a log that others have cut stays as it is", 9, "onetwo", 6],
])("%s", (_name, logSize, left, size) => {
  writeFileSync(file, "onetwo");
  expect(withoutRepeat(opened(), file, { taken: 0, logInode: inode(file), logSize })).toBe(size);
  expect(text()).toBe(left);
});

test("a log that nothing is known of stays as it is", () => {
  writeFileSync(file, "onetwo");
  expect(withoutRepeat(opened(), file, { taken: 0, logInode: "", logSize: 0 })).toBe(6);
  expect(text()).toBe("onetwo");
});

test("what was appended and not noted is cut off from the rotated log, and no other", () => {
  writeFileSync(file, "onetwo");
  const position = { taken: 0, logInode: inode(file), logSize: 3 };
  const rotated = `${file}.20260102-030405`;
  renameSync(file, rotated);
  writeFileSync(join(folder, "other"), "longer than that");
  symlinkSync("other", join(folder, "link"));
  writeFileSync(file, "new log");
  expect(withoutRepeat(opened(), file, position)).toBe(7);
  expect([text(), text(rotated), text(join(folder, "other"))]).toEqual(["new log", "one", "longer than that"]);
});

test("where not all can be written the log is as it was before", async () => {
  writeFileSync(file, "one");
  log = openSync("/dev/full", "a");
  await expect(appendWhole(log, Buffer.from("two"), 3)).rejects.toThrow();
  closeSync(log);
  log = openSync(file, "r+");
  await expect(appendWhole(log, Buffer.from("xyz"), 3)).resolves.toBeUndefined();
});
