/** How far output has been taken, on disk. */
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { BLOCK, behindHole, readPosition, writePosition } from "../../../src/output/log-file.js";

let file: string;
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "hooklet-position-")), "position");
});
afterEach(() => rmSync(join(file, ".."), { recursive: true }));

const START = { taken: 0, logInode: "", logSize: 0 };

test("a position is read as it was written, and a shorter one replaces all of a longer one", async () => {
  const long = { taken: Number.MAX_SAFE_INTEGER, logInode: "18446744073709551615", logSize: 12_345_678 };
  const short = { taken: 1, logInode: "2", logSize: 3 };
  for (const position of [long, short, long]) {
    writePosition(file, position);
    expect(await readPosition(file)).toEqual(position);
    expect(statSync(file).size).toBe(80);
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each(["", "1 2 3", "1 2\n", "x1 2 3\n", "1 2 3 4\n", "1 2 3\nmore", " 1 2 3\n"])(
  "of what is no position (%j) output is taken from its start",
  async (text) => {
    writeFileSync(file, text);
    expect(await readPosition(file)).toEqual(START);
  },
);

test("where there is none, or a folder in its place, output is taken from its start", async () => {
  expect(await readPosition(file)).toEqual(START);
  mkdirSync(file);
  expect(await readPosition(file)).toEqual(START);
});

async function behind(path: string): Promise<number> {
  const handle = await open(path);
  try {
    return await behindHole(handle, await handle.stat({ bigint: true }));
  } finally {
    await handle.close();
  }
}

test.each([
  ["one block", BLOCK],
  ["many blocks", 200 * BLOCK],
])("output behind a hole of %s begins behind it", async (_name, hole) => {
  writeFileSync(file, "");
  truncateSync(file, hole);
  writeFileSync(file, "x", { flag: "a" });
  expect(await behind(file)).toBe(hole);
});

test("zeros that a container wrote are no hole", async () => {
  writeFileSync(file, Buffer.alloc(2 * BLOCK));
  expect(await behind(file)).toBe(0);
});

test("of a file that is a hole all whole blocks were freed", async () => {
  writeFileSync(file, "");
  truncateSync(file, 2 * BLOCK + 1);
  expect(await behind(file)).toBe(2 * BLOCK);
});
