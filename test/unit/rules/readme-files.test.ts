/** What a package's README names of its own sources and tests, or of the repository's, is there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../../sources.js";

/** `src/commands`, `src/run/boot.ts`, `test/attacks.test.ts`, `test/e2e/plugins/eviction-*`; not the end of a longer path. */
const NAMED = /(?<![\w@./-])(?:src|test)\/[\w@.-]+(?:\/[\w@.-]+)*\*?/g;

/** Of the package, or of the repository: `test/e2e` is there alone. Before a `*` the name is the beginning of one. */
function isThere(folder: string, name: string): boolean {
  return [folder, root].some((place) => {
    const file = path.join(place, name.replace(/[.*]$/, ""));
    if (!name.endsWith("*")) return existsSync(file);
    const parent = path.dirname(file);
    return existsSync(parent) && readdirSync(parent).some((one) => one.startsWith(path.basename(file)));
  });
}

const named = readdirSync(path.join(root, "packages")).flatMap((name) => {
  const folder = path.join(root, "packages", name);
  const text = readFileSync(path.join(folder, "README.md"), "utf8");
  return [...text.matchAll(NAMED)].map(([file]) => ({ page: `packages/${name}/README.md`, folder, file }));
});

test("READMEs of packages name files", () => {
  expect(named.length).toBeGreaterThan(10);
});

test("each of them is there", () => {
  const missing = named
    .filter(({ folder, file }) => !isThere(folder, file))
    .map(({ page, file }) => `${page}: ${file}`);
  expect(missing).toEqual([]);
});
