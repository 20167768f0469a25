import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { terminationMessage } from "../../../../src/pod/life/pod-files.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hooklet-message-"));
  file = path.join(folder, "termination-log");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const message = (words: Partial<Parameters<typeof terminationMessage>[0]> = {}): Promise<string> => {
  const logPath = path.join(folder, "0.log");
  return terminationMessage({ file, policy: "File", exitCode: 1, logPath, logFormat: "raw", ...words });
};

describe("a termination message", () => {
  test.each([
    { name: "nothing", written: "" },
    { name: "a word", written: "out of disk" },
    { name: "just as much as is taken", written: "x".repeat(4096) },
  ])("$name is reported as it was written", async ({ written }) => {
    writeFileSync(file, written);
    expect(await message()).toBe(written);
  });

  test("of a program that logs into it ends with the last output", async () => {
    writeFileSync(file, `${"a".repeat(5000)}the end`);
    expect(await message()).toBe(`${"a".repeat(4089)}the end`);
  });

  test("of a container that made no file is empty", async () => {
    expect(await message()).toBe("");
  });

  test.each([
    { name: "that failed", exitCode: 1, written: "", recorded: "said last\n" },
    { name: "that did well", exitCode: 0, written: "", recorded: "" },
    { name: "that wrote one as well", exitCode: 1, written: "written", recorded: "written" },
  ])("with the log to fall back to, of a container $name", async ({ exitCode, written, recorded }) => {
    writeFileSync(path.join(folder, "0.log"), "said last\n");
    writeFileSync(file, written);
    expect(await message({ policy: "FallbackToLogsOnError", exitCode })).toBe(recorded);
  });

  test("that cannot be read has the kubelet's error text", async () => {
    symlinkSync("/etc/hostname", file);
    expect(await message()).toMatch(`Error on reading termination log ${file}: ELOOP`);
  });
});
