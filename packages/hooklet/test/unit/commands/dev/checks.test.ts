import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { temporaryFolder } from "../../../../../server/test/start.js";
import { checksOf, failing } from "../../../../src/commands/dev/checks.js";

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
