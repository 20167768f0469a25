import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { rotateLog } from "../../src/rotate.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-rotate-"));
  file = join(folder, "0.log");
  writeFileSync(file, "what was logged");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const rotate = (
  reopen: () => Promise<void> = async () => writeFileSync(file, ""),
  { maxSize = 3, maxFiles = 5 } = {},
): Promise<boolean> => rotateLog({ file, maxSize, maxFiles, now: Date.UTC(2026, 0, 2, 3, 4, 5), reopen });
const write = (...names: readonly string[]): void => {
  for (const name of names) writeFileSync(join(folder, name), name);
};

test.each([
  [14, true],
  [15, false],
])("a log of 15 bytes that may have %d is rotated: %j", async (maxSize, isRotated) => {
  expect(await rotate(undefined, { maxSize })).toBe(isRotated);
  expect(readdirSync(folder)).toEqual(isRotated ? ["0.log", "0.log.20260102-030405"] : ["0.log"]);
});

test("a log that is not there is not rotated, nor is one without its folder", async () => {
  unlinkSync(file);
  expect(await rotate()).toBe(false);
  expect(
    await rotateLog({ file: join(folder, "gone/0.log"), maxSize: 3, maxFiles: 5, now: 0, reopen: async () => {} }),
  ).toBe(false);
});

test("what is no file in place of the log is refused", async () => {
  unlinkSync(file);
  mkdirSync(file);
  await expect(rotate()).rejects.toThrow(
    "0.log: expected a regular file, found something else; look who writes in its directory",
  );
});

describe("logs that were rotated before", () => {
  const [first, second, third] = ["0.log.20250101-000000", "0.log.20250102-000000", "0.log.20250103-000000"];
  const now = ["0.log", "0.log.20260102-030405"];

  test.each<[number, readonly string[]]>([
    [5, [`${first}.gz`, `${second}.gz`, `${third}.gz`]],
    [4, [`${second}.gz`, `${third}.gz`]],
    [3, [`${third}.gz`]],
    [2, []],
    [1, []],
  ])("of %d files in all the newest stay, compressed", async (maxFiles, kept) => {
    write(`${first}.gz`, second, third);
    expect(await rotate(undefined, { maxFiles })).toBe(true);
    expect(readdirSync(folder)).toEqual(["0.log", ...kept, "0.log.20260102-030405"]);
  });

  test("hold after their compression what they held before", async () => {
    write(second);
    await rotate();
    expect(gunzipSync(readFileSync(join(folder, `${second}.gz`))).toString()).toBe(second);
  });

  test("are those of this log alone; what a broken compression left is removed", async () => {
    const others = [
      "0.log.20250101",
      "0.log.20250101-000000.gz2",
      "0.log.note",
      "0.log.note.20250101-000000",
      "0.logs.20250101-000000",
      "1.log.20250101-000000",
      "x0.log.20250101-000000",
    ];
    write(...others, `${first}.tmp`, "1.log.20250101-000000.tmp");
    await rotate(undefined, { maxFiles: 2 });
    expect(readdirSync(folder)).toEqual([...now, ...others, "1.log.20250101-000000.tmp"].sort());
  });
});

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
