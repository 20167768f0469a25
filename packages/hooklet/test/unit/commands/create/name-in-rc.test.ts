import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Io } from "@hooklet/cli/extend";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { nameInRc } from "../../../../src/commands/create/name-in-rc.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-rc-"));
});

afterEach(() => rm(folder, { recursive: true }));

async function named(entry: unknown, file?: string, before = ""): Promise<{ says: string; after: string }> {
  if (file !== undefined) await writeFile(path.join(folder, file), before);
  const says = await nameInRc({ cwd: () => folder } as Io, entry);
  return { says, after: await readFile(path.join(folder, file ?? ".hookletrc.yaml"), "utf8") };
}

test.each<readonly [name: string, before: string, entry: unknown, after: string]>([
  ["no plugins", "node: {} # mine\n", "./a.mjs", "node: {} # mine\nplugins:\n  - ./a.mjs\n"],
  ["a file of comments alone", "# later\n", "./a.mjs", "# later\nplugins:\n  - ./a.mjs\n"],
  [
    "other plugins",
    "plugins:\n  - x # why\n",
    ["./a.mjs", { n: 1 }],
    "plugins:\n  - x # why\n  - - ./a.mjs\n    - n: 1\n",
  ],
  ["plugins that say nothing", "plugins:\n", "./a.mjs", "plugins:\n  - ./a.mjs\n"],
  ["the plugin with options", "plugins: [[x, {n: 1}]]\n", "x", "plugins: [ [ x, { n: 1 } ] ]\n"],
  [
    "the plugin with other options",
    "plugins: [[x, {n: 1}]]\n",
    ["x", { m: 2 }],
    "plugins: [ [ x, { n: 1, m: 2 } ] ]\n",
  ],
  ["the plugin without options", "plugins: [x]\n", ["x", { m: 2 }], "plugins: [ [ x, { m: 2 } ] ]\n"],
])("an rc file with %s: a plugin stands once in it, and all else stays", async (_name, before, entry, after) => {
  expect(await named(entry, "hooklet.config.yaml", before)).toEqual({ says: "named in hooklet.config.yaml", after });
});

test("without an rc file one is written, beside a package.json that says nothing of hooklet", async () => {
  await writeFile(path.join(folder, "package.json"), "{}");
  expect(await named("./a.mjs")).toEqual({ says: "named in .hookletrc.yaml", after: "plugins:\n  - ./a.mjs\n" });
});

test.each([
  [
    "hooklet.config.yaml",
    "plugins: x\n",
    /^hooklet\.config\.yaml cannot be changed as it is\. Add to its plugins: "\.\/a"$/,
  ],
  ["hooklet.config.yaml", "plugins: [\n", /cannot be changed as it is/],
  ["package.json", '{"hooklet": {}}', /^Add it to the plugins of package\.json: "\.\/a"$/],
])("%s with %j stays as it is, and what is to be added is said", async (file, before, says) => {
  expect(await named("./a", file, before)).toEqual({ says: expect.stringMatching(says), after: before });
});

test("an option that the entry changes is said with what it was", async () => {
  const before = "plugins: [[imagegc, {order: {use: ./a.js}, imageMinimumGCAge: 5m}]]\n";
  const { says, after } = await named(["imagegc", { order: { use: "./b.js" } }], "hooklet.config.yaml", before);
  expect(says).toBe('named in hooklet.config.yaml; it replaces order: {"use":"./a.js"}');
  expect(after).toContain("imageMinimumGCAge: 5m");
  const same = await named(["imagegc", { order: { use: "./b.js" } }], "hooklet.config.yaml", after);
  expect(same.says).toBe("named in hooklet.config.yaml");
});
