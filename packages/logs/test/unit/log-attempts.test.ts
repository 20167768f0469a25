/** How often a container has run, by the logs in its folder. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { attemptsByLogs, removeLogsBefore } from "../../src/log-attempts.js";

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hooklet-attempts-"));
  folder = join(root, "pod", "main");
  mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (...names: readonly string[]): void => {
  for (const name of names) writeFileSync(join(folder, name), "");
};
const file = () => join(folder, "0.log");

test.each([
  { logs: [], attempts: 0 },
  { logs: ["0.log"], attempts: 1 },
  { logs: ["0.log", "10.log", "9.log"], attempts: 11 },
  { logs: ["3.log.20260102-030405"], attempts: 4 },
  { logs: ["3.log.20260102-030405.gz", "2.log"], attempts: 4 },
  { logs: ["7.txt", "x8.log", "9.logs", "1234567890.log", "a.log", "1.log"], attempts: 2 },
])("with $logs the next attempt is number $attempts", async ({ logs, attempts }) => {
  write(...logs);
  expect(await attemptsByLogs(file())).toBe(attempts);
});

test("without a folder it is the first", async () => {
  rmSync(folder, { recursive: true });
  expect(await attemptsByLogs(file())).toBe(0);
  await removeLogsBefore(file(), 3);
});

test("logs of earlier attempts go, with what was rotated away; all else stays", async () => {
  write("0.log", "1.log", "1.log.20260102-030405.gz", "2.log", "2.log.20260102-030405", "3.log", "notes");
  await removeLogsBefore(file(), 2);
  expect(readdirSync(folder).sort()).toEqual(["2.log", "2.log.20260102-030405", "3.log", "notes"]);
});
