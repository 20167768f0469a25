/** ARCHITECTURE.md leads from a question to a file: every path in it exists, and no file of core is out of its reach. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { ownImports, packageSources, root } from "../../sources.js";

const CORE = "packages/core/src";
const page = readFileSync(path.join(root, "ARCHITECTURE.md"), "utf8");
const [before = "", ...others] = page.split("```");
const [picture = "", ...after] = others;
const prose = [before, ...after].join("");

/** `plugin/contract/`, `errors.ts`, `test/rules`: no options, no names of packages, no patterns. */
function isPath(text: string): boolean {
  if (/[\s*(<]/.test(text) || text.startsWith("@") || text.startsWith("./")) return false;
  return text.includes("/") || /\.(ts|mjs|md)$/.test(text);
}

function exists(text: string): boolean {
  return existsSync(path.join(root, text)) || existsSync(path.join(root, CORE, text));
}

const named = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text as string).filter(isPath);
const drawn = [...picture.matchAll(/[\w-]+(?:\/[\w-]+)*\/\{[\w,-]+\}\.ts|[\w-]+\/[\w/.-]+/g)].flatMap(([text]) => {
  const [, folder, names] = /^(.*)\{(.*)\}\.ts$/.exec(text) ?? [];
  return names === undefined ? [text] : names.split(",").map((name) => `${folder}${name}.ts`);
});

test("every path in ARCHITECTURE.md exists", () => {
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((text) => !exists(text))).toEqual([]);
});

test("so does every path in its picture", () => {
  expect(drawn.length).toBeGreaterThan(20);
  expect(drawn.filter((text) => text !== "packages/plugin-" && !exists(text))).toEqual([]);
});

test("every package has its section there and a README", () => {
  const packages = readdirSync(path.join(root, "packages"));
  expect(packages.filter((name) => !named.includes(`packages/${name}`))).toEqual([]);
  expect(packages.filter((name) => !existsSync(path.join(root, "packages", name, "README.md")))).toEqual([]);
});

test("every folder of core is somewhere on the page", () => {
  const folders = readdirSync(path.join(root, CORE), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const missing = folders.filter(({ name }) => !named.some((text) => text.startsWith(`${name}/`)));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test("every file of core is on the page, or one that is on the page imports it", () => {
  const entryFiles = ["index.ts", "subsystem.ts", "rules.ts", "host.ts", "internal.ts", "base.ts"].map(
    (entry) => `${CORE}/${entry}`,
  );
  const files = packageSources().filter((file) => file.package === "core");
  const onPage = new Set([...named, ...drawn].flatMap((text) => [text, `${CORE}/${text}`]));
  const isOnPage = (file: string): boolean => onPage.has(file) || onPage.has(`${path.posix.dirname(file)}/`);
  const entries = files.filter((file) => isOnPage(file.path) && !entryFiles.includes(file.path));
  const reached = new Set(entries.flatMap(ownImports));
  const lost = files.map((file) => file.path).filter((file) => !isOnPage(file) && !reached.has(file));
  expect(lost.filter((file) => !entryFiles.includes(file))).toEqual([]);
});
