import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { temporaryFolder } from "../../../../../server/test/start.js";
import { checksOf, failing, runCheck } from "../../../../src/commands/dev/checks.js";

async function folderWith(...files: readonly string[]): Promise<string> {
  const folder = await temporaryFolder();
  for (const file of files) {
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), "{}");
  }
  return folder;
}

const names = (folder: string): readonly string[] =>
  checksOf(folder).map(({ name, words }) => `${name}: ${words.join(" ")}`);

test("a folder is checked with what is in it: types where there is a compiler, tests where there are any", async () => {
  expect(names(await folderWith("index.js"))).toEqual([]);
  expect(names(await folderWith("index.js", "index.test.js"))).toEqual(["tests: --test index.test.js"]);
  expect(names(await folderWith("jsconfig.json", "index.test.mjs", "node_modules/.bin/tsc"))).toEqual([
    "types: --noEmit --pretty false -p jsconfig.json",
    "tests: --test index.test.mjs",
  ]);
  expect(names(await folderWith("tsconfig.json", "package.json", "src/index.ts"))).toEqual(["tests: test --silent"]);
});

test("of an error of several lines the first is shown", () =>
  expect(failing("not ok 1 - a\n  error: |-\n    Expected values to be equal:\n    more")).toBe(
    "not ok 1 - a\nerror: Expected values to be equal:",
  ));

test("of a test run the failures are shown, of a compiler its output", () => {
  expect(failing("ok 1 - a\nnot ok 2 - b\n  ---\n  error: 'expected 1'\n  ...\n# fail 1")).toBe(
    "not ok 2 - b\nerror: 'expected 1'",
  );
  expect(failing("index.js(3,1): error TS2322: no")).toBe("index.js(3,1): error TS2322: no");
});

test("the compiler is the nearest one above, and a tsconfig.json goes before a jsconfig.json", async () => {
  const folder = await folderWith("a/b/jsconfig.json", "a/b/tsconfig.json", "node_modules/.bin/tsc");
  const own = join(folder, "a/b");
  expect(checksOf(own)).toEqual([
    {
      name: "types",
      program: join(folder, "node_modules/.bin/tsc"),
      words: ["--noEmit", "--pretty", "false", "-p", "tsconfig.json"],
      folder: own,
    },
  ]);
});

test.each([
  ["a package without a tsconfig.json", ["package.json"], []],
  ["a tsconfig.json without a package", ["tsconfig.json"], []],
  ["both, and tests that need no build", ["package.json", "tsconfig.json", "a.test.cjs"], ["tests: --test a.test.cjs"]],
  ["files that are no tests", ["a.test.ts", "test.js", "a.test.js.map"], []],
  ["several tests", ["b.test.js", "a.test.js"], ["tests: --test a.test.js b.test.js"]],
])("a folder has %s", async (_name, files, expected) => {
  expect(names(await folderWith(...files))).toEqual(expected);
});

const { signal } = new AbortController();
const runs = async (code: string, cut = signal) =>
  runCheck({ name: "tests", program: process.execPath, words: ["-e", code], folder: await temporaryFolder() }, cut);

test("a check that ends well says nothing; one that fails says what it wrote, or that it failed", async () => {
  expect(await runs("console.log('fine')")).toEqual({ ok: true, text: "" });
  expect(await runs("console.log('out'); console.error('err'); process.exit(1)")).toEqual({
    ok: false,
    text: "out\nerr",
  });
  const silent = await runs("process.exit(3)");
  expect(silent).toEqual({ ok: false, text: expect.stringContaining("Command failed: ") });
});

test("a check that is cut short has failed", async () => {
  expect((await runs("setInterval(() => {}, 1000)", AbortSignal.timeout(100))).ok).toBe(false);
});

const many = (count: number, line = "line"): string =>
  Array.from({ length: count }, (_, index) => `${line} ${index}`).join("\n");

test.each<[name: string, output: string, text: string]>([
  ["the spec reporter's failures", "✔ a\n  ✖ b (2ms)\n  TypeError: no\n", "✖ b (2ms)\nTypeError: no"],
  ["an error without a test that failed", "error: no\nmore", "error: no\nmore"],
  ["a text that begins in the next line", "not ok 1 - a\n  error: >-\n    why\n", "not ok 1 - a\nerror: why"],
  ["one whose next line is missing", "not ok 1 - a\nerror: |", "not ok 1 - a\nerror:"],
  ["an error with a colon in it", "not ok 1 - a\nerror: x: y", "not ok 1 - a\nerror: x: y"],
  ["a word that has error in it", "not ok 1 - a\nno error: x\nErrors: 1", "not ok 1 - a"],
  ["the last 30 lines of what is no test run", many(31), many(31).slice("line 0\n".length)],
  ["the first 30 failures", many(31, "not ok"), many(30, "not ok")],
])("of an output are shown: %s", (_name, output, text) => expect(failing(output)).toBe(text));
