import { mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { rotateLog } from "../../../src/logs/rotate.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-rotate-"));
  file = join(folder, "0.log");
  writeFileSync(file, "what was logged");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const rotate = (reopen: () => Promise<void>): Promise<boolean> =>
  rotateLog({ file, maxSize: 3, maxFiles: 5, now: Date.UTC(2026, 0, 2, 3, 4, 5), reopen });

describe("a rotation that the runtime does not follow", () => {
  test("is taken back: the log has its own name again", async () => {
    await expect(rotate(() => Promise.reject(new Error("no answer")))).rejects.toThrow("no answer");
    expect(readdirSync(folder)).toEqual(["0.log"]);
    expect(readFileSync(file, "utf8")).toBe("what was logged");
  });

  test("does not overwrite a new log that is there all the same", async () => {
    const late = async (): Promise<void> => {
      writeFileSync(file, "new");
      throw new Error("too late");
    };
    await expect(rotate(late)).rejects.toThrow("too late");
    expect(readdirSync(folder)).toEqual(["0.log", "0.log.20260102-030405"]);
    expect(readFileSync(file, "utf8")).toBe("new");
  });

  test("and cannot be undone either: both reasons are reported, and where the log is now", async () => {
    const aside = "0.log.20260102-030405";
    const reopen = async (): Promise<void> => {
      unlinkSync(join(folder, aside));
      throw new Error("no answer");
    };
    const error: unknown = await rotate(reopen).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AggregateError);
    expect(error).toMatchObject({
      errors: [{ message: "no answer" }, { code: "ENOENT" }],
      message: expect.stringContaining(`the log was not rotated (no answer), and is now ${aside}: ENOENT`),
    });
  });
});
