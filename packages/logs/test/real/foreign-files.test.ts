/** A container that has the directory of its logs mounted puts other things in their place. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { terminationMessage } from "../../../core/src/pod/life/pod-files.js";
import { removeLog } from "../../src/log-attempts.js";
import { readLog } from "../../src/read-log.js";
import { rotateLog } from "../../src/rotate.js";

let scratch: string;
let folder: string;
let log: string;
let secret: string;
beforeEach(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), "hooklet-foreign-"));
  folder = path.join(scratch, "pods/default_web_1/main");
  log = path.join(folder, "0.log");
  secret = path.join(scratch, "secret/0.log");
  mkdirSync(folder, { recursive: true });
  mkdirSync(path.dirname(secret));
  writeFileSync(secret, "s3cret\n".repeat(100));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

/** What may lie there in place of the log. */
const tricks: readonly (readonly [string, () => void])[] = [
  ["a link in place of the file", () => symlinkSync(secret, log)],
  [
    "a link in place of its folder",
    () => {
      rmSync(folder, { recursive: true });
      symlinkSync(path.dirname(secret), folder);
    },
  ],
  ["a FIFO", () => void execFileSync("mkfifo", [log])],
];

async function shown(): Promise<string> {
  let text = "";
  const output = (_stream: string, data: Buffer): void => {
    text += data.toString();
  };
  const file = { path: log, format: "raw", ended: () => true } as const;
  const options = { follow: false, timestamps: false };
  await readLog(systemClock, file, options, output, async () => undefined, new AbortController().signal);
  return text;
}

test.each(tricks)("%s is not read", async (_name, play) => {
  play();
  await expect(shown()).rejects.toMatchObject({ code: "INVALID" });
});

test.each(tricks)("%s is not rotated, and what it leads to stays", async (_name, play) => {
  play();
  const rotation = { file: log, maxSize: 10, maxFiles: 2, now: 0, reopen: async () => undefined };
  await expect(rotateLog(rotation)).rejects.toThrow(/expected a/);
  expect(readdirSync(path.dirname(secret))).toEqual(["0.log"]);
});

test.each(tricks)("%s shows nothing as a termination message", async (_name, play) => {
  play();
  const words = { policy: "FallbackToLogsOnError", exitCode: 1, logPath: log, logFormat: "raw" } as const;
  expect(await terminationMessage(words)).toBe("");
});

test("a log's removal through a link in place of its folder takes nothing away", async () => {
  tricks[1]?.[1]();
  await expect(removeLog(log)).rejects.toThrow("expected a directory");
  expect(existsSync(secret)).toBe(true);
});

test("a link in place of the compressed log is removed, not written through", async () => {
  writeFileSync(log, "x".repeat(100));
  writeFileSync(`${log}.20260101-000000`, "old");
  symlinkSync(secret, `${log}.20260101-000000.tmp`);
  const rotation = { file: log, maxSize: 10, maxFiles: 5, now: 0, reopen: async () => writeFileSync(log, "") };
  expect(await rotateLog(rotation)).toBe(true);
  expect(readFileSync(secret, "utf8")).toContain("s3cret");
  expect(readdirSync(folder).toSorted()).toEqual(["0.log", "0.log.19700101-000000", "0.log.20260101-000000.gz"]);
});

test("a rotated file that is a link is not packed", async () => {
  writeFileSync(log, "x".repeat(100));
  symlinkSync(secret, `${log}.20260101-000000`);
  const rotation = { file: log, maxSize: 10, maxFiles: 5, now: 0, reopen: async () => undefined };
  await expect(rotateLog(rotation)).rejects.toThrow(/ELOOP/);
  expect(existsSync(secret)).toBe(true);
});
