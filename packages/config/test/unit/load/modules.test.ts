import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { defaultExport, nodeModules, withinLoadTime, withPlace } from "../../../src/load/modules.js";

test("a module whose top level never ends is given up after 30 s", async () => {
  const clock = new VirtualClock();
  const loaded = withinLoadTime(clock, new Promise(() => {})).catch((error: Error) => error.message);
  await clock.advance(30_000);
  expect(await loaded).toBe("its top level was expected to end within 30 s and is still busy");
});

const here = fileURLToPath(import.meta.url);

test.each([
  ["a path from the file that names it", "./modules.test.ts", here],
  ["a folder, which is no file", "../load", undefined],
  ["a path that leads nowhere", "./gone.mjs", undefined],
  ["a package that is not installed", "@acme/gone", undefined],
])("Node finds %s", (_name, specifier, file) => expect(nodeModules.resolve(specifier, here)).toBe(file));

test("Node finds an installed package by its exports", () => {
  expect(nodeModules.resolve("zod", here)).toMatch(/\/zod\/index\.js$/);
  expect(() => nodeModules.resolve("zod/none", here)).toThrow(/not (?:defined by "exports"|exported)/);
});

const own = { a: 1 };

test.each([
  ["a module's", { default: own }, own],
  ["a CommonJS file's, compiled from a module", { default: { __esModule: true, default: own } }, own],
  ["a CommonJS file's own", { default: { default: own } }, { default: own }],
  ["a CommonJS file's without one", { default: { __esModule: true } }, { __esModule: true }],
  ["null", { default: null }, null],
  ["none", {}, undefined],
  ["of nothing", undefined, undefined],
])("the default export: %s", (_name, namespace, expected) => expect(defaultExport(namespace)).toEqual(expected));

const folder = mkdtempSync(path.join(tmpdir(), "hooklet-modules-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What is said of a fault of the stripper, with the file's path cut short. */
async function said(text: string | undefined, fault: object): Promise<string> {
  const file = path.join(folder, "a.ts");
  if (text === undefined) rmSync(file, { force: true });
  else writeFileSync(file, text);
  const error = (await withPlace(fault, file)) as Error;
  expect(error).toBeInstanceOf(SyntaxError);
  expect(error.cause).toBe(fault);
  return error.message.replaceAll(file, "FILE");
}

const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join("\n");

test.each<[name: string, text: string | undefined, fault: object, message: string]>([
  [
    "two lines before the faulty one and one behind it, with the column",
    ten,
    { message: "no", startLine: 5, startColumn: 2 },
    "no (FILE:5:3)\n  3 | line 3\n  4 | line 4\n> 5 | line 5\n    |   ^\n  6 | line 6",
  ],
  [
    "numbers of one width",
    ten,
    { message: "no", startLine: 9, startColumn: 0 },
    "no (FILE:9:1)\n   7 | line 7\n   8 | line 8\n>  9 | line 9\n     | ^\n  10 | line 10",
  ],
  ["the first line", "a", { message: "no", startLine: 1 }, "no (FILE:1:1)\n> 1 | a\n    | ^"],
  [
    "what is more than types, with what to do",
    "enum A {}",
    { message: "TypeScript enum is not supported in strip-only mode", startLine: 1, startColumn: 0 },
    "TypeScript enum is not supported in strip-only mode (FILE:1:1) Only types are stripped: write it as plain JavaScript, or compile the file first.\n> 1 | enum A {}\n    | ^",
  ],
  [
    "a long line by its beginning",
    "x".repeat(200),
    { message: "no", startLine: 1, startColumn: 180 },
    `no (FILE:1:181)\n> 1 | ${"x".repeat(160)}\n    | ${" ".repeat(160)}^`,
  ],
  ["a file that is gone", undefined, { message: "no", startLine: 1 }, "no (FILE:1:1)\n> 1 | \n    | ^"],
])("a fault of syntax shows %s", async (_name, text, fault, message) => {
  expect(await said(text, fault)).toBe(message);
});

test.each([
  ["no message", { startLine: 1 }],
  ["no line", { message: "no" }],
  ["a line that is no number", { message: "no", startLine: "1" }],
  ["an error of another kind", new TypeError("no")],
  ["nothing", undefined],
])("what has %s stays as it is", async (_name, fault) => {
  writeFileSync(path.join(folder, "a.ts"), "const a = ;");
  expect(await withPlace(fault, path.join(folder, "a.ts"))).toBe(fault);
});

test("an error of syntax without a place gets that of the file's own fault", async () => {
  const file = path.join(folder, "b.mjs");
  writeFileSync(file, "export default {\n  a: 'b' c\n};\n");
  const { message } = (await withPlace(new SyntaxError("Unexpected identifier"), file)) as Error;
  expect(message).toMatch(
    / \(\S+b\.mjs:2:10\)\n {2}1 \| export default \{\n> 2 \| {3}a: 'b' c\n {4}\| {10}\^\n {2}3 \| \};$/,
  );
});
