import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { type FakeIo, fakeIo, hooklet, host, type Result } from "../../binary.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-create-"));
});

afterEach(() => rm(folder, { recursive: true }));

function create(words: string): Promise<Result> {
  const by = { ...host, plugins: ["@hooklet/plugin-probe"] };
  return hooklet(`create ${words}`, { ...fakeIo(), cwd: () => folder } as FakeIo, by);
}

test.each([
  ["plugin probe", 'create plugin: hooklet has a plugin "probe" already. Choose another name'],
  ["plugin it --for order", "create plugin: --for is for strategies: hooklet create strategy NAME --for POINT"],
  ["plugin ../it", 'create plugin: expected a name of small letters, digits and -, found "../it".'],
  ["plugin Probe", 'create plugin: expected a name of small letters, digits and -, found "Probe".'],
  ["strategy it", "create strategy: expected --for with one of victims, ranking, order, allocation, found nothing."],
  ["strategy it --for schedule", 'allocation, found "schedule".'],
])("%s is refused, and nothing is written", async (words, says) => {
  const { code, err } = await create(words);
  expect([code, err]).toEqual([1, expect.stringContaining(says)]);
  expect(await readdir(folder)).toEqual([]);
});

test("a strategy may have a built-in plugin's name", async () => {
  expect(await create("strategy probe --for order")).toMatchObject({ code: 0, err: "" });
});

test("what is there is not written over, and the message has no errno", async () => {
  await create("plugin it");
  const { code, err } = await create("plugin it");
  expect([code, err]).toEqual([1, expect.stringContaining("it/package.json: it exists already. Remove it, or name")]);
  expect(err).not.toContain("EEXIST");
});

test("the last lines say what another machine needs, and what to do next", async () => {
  const lines = (await create("plugin it")).out.trim().split("\n");
  expect(lines.at(-2)).toMatch(
    /^it\/package\.json links to the packages of \S+: other machines need a clone at that place\.$/,
  );
  expect(lines.at(-1)).toMatch(/^Next: cd it && npm install && npm test; /);
  expect(JSON.parse(await readFile(path.join(folder, "it/package.json"), "utf8"))).toMatchObject({ name: "it" });
});

test("a plugin's sample is to be changed first, which is said; a strategy's is not", async () => {
  const says = "The sample refuses pods without a label owner: change it before an agent runs it.\n";
  const written = (name: string) =>
    ["package.json", "jsconfig.json", "index.js", "index.test.js", "scenario.yaml"]
      .map((file) => `written: ${name}/${file}\n`)
      .join("");
  const plugin = await create("plugin it");
  expect(plugin.out).toContain(says);
  expect(plugin.out.startsWith(written("it"))).toBe(true);
  const strategy = await create("strategy mine --for order");
  expect(strategy.out).not.toContain(says);
  expect(strategy.out.startsWith(written("mine"))).toBe(true);
});

test("a strategy of a plugin that the rc file configures already joins what is there", async () => {
  await writeFile(path.join(folder, ".hookletrc.yaml"), "plugins:\n  - [imagegc, { imageMinimumGCAge: 5m }]\n");
  await create("strategy mine --for order");
  expect(parse(await readFile(path.join(folder, ".hookletrc.yaml"), "utf8")).plugins).toEqual([
    ["imagegc", { imageMinimumGCAge: "5m", order: { use: "./mine/index.js" } }],
  ]);
});

test.each([
  ["package.json", '{"hooklet":{"plugins":[]}}'],
  ["hooklet.config.mjs", "export default {};\n"],
])("a configuration in %s is left alone, and no other rc file is put beside it", async (name, text) => {
  await writeFile(path.join(folder, name), text);
  expect((await create("plugin it")).out).toContain(`Add it to the plugins of ${name}: "./it/index.js"`);
  expect(await readdir(folder)).not.toContain(".hookletrc.yaml");
  expect(await readFile(path.join(folder, name), "utf8")).toBe(text);
});
