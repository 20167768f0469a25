/** What `hooklet create plugin` writes: a plugin whose scenario holds, and tests with and without the test kit. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { runJob } from "../../../../../simulate/src/subprocess/job.js";
import type { TemplateInput } from "../../../../src/commands/create/package-files.js";
import { pluginFiles } from "../../../../src/commands/create/plugin-template.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-plugin-"));
});

afterEach(() => rm(folder, { recursive: true }));

function filesOf(more: Partial<TemplateInput> = {}): Record<string, string> {
  const typesOf = (name: string): string => `../types/${name}`;
  return pluginFiles({ name: "mine", isTypeScript: false, version: "1.2.3", typesOf, clone: "../packages", ...more });
}

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
}

async function outcome(files: Record<string, string>) {
  await write(files);
  const host = { url: import.meta.url, plugins: [] };
  const { expectations, faults } = await runJob({
    file: path.join(folder, "scenario.yaml"),
    host,
    variant: {},
    seed: 0,
  });
  return { failed: expectations.filter(({ failure }) => failure !== undefined).length, faults: faults.length };
}

test("the scenario holds, and fails where the plugin refuses no pod or throws", async () => {
  const files = filesOf();
  expect(await outcome(files)).toEqual({ failed: 0, faults: 0 });
  const own = files["index.js"] ?? "";
  const at = path.join(folder, "scenario.yaml");
  expect(parse(files["scenario.yaml"] ?? "")).toMatchObject({ config: { plugins: ["./index.js"] } });
  for (const [body, found] of [
    ["return;", { failed: 1, faults: 0 }],
    ["throw new Error('boom');", { failed: 2, faults: 1 }],
  ] as const) {
    const name = `${found.failed}.js`;
    const changed = own.replace("hooks.podAdmit.tap((verdict, { pod }) => {", (head) => `${head} ${body}`);
    const scenario = (files["scenario.yaml"] ?? "").replace("./index.js", `./${name}`);
    expect({ at, body, ...(await outcome({ ...files, [name]: changed, "scenario.yaml": scenario })) }).toEqual({
      at,
      body,
      ...found,
    });
  }
});

test("a package in a clone links to core and the test kit, and its test has both suites", () => {
  const files = filesOf();
  expect(Object.keys(files)).toEqual(["package.json", "jsconfig.json", "index.js", "index.test.js", "scenario.yaml"]);
  expect(JSON.parse(files["package.json"] ?? "")).toMatchObject({
    name: "mine",
    type: "module",
    exports: "./index.js",
    scripts: { test: "node --test" },
    peerDependencies: { "@hooklet/core": "^1.2.3" },
    devDependencies: { "@hooklet/core": "file:../packages/core", "@hooklet/testkit": "file:../packages/testkit" },
  });
  expect(JSON.parse(files["jsconfig.json"] ?? "")).toMatchObject({
    compilerOptions: {
      checkJs: true,
      noEmit: true,
      strict: true,
      paths: { "@hooklet/core": ["../types/@hooklet/core/index.d.ts"] },
    },
    include: ["index.js"],
  });
  expect(files["index.test.js"]).toContain('describePlugin("mine", { plugin,');
});

test("in TypeScript it is built before its tests run", () => {
  const files = filesOf({ isTypeScript: true });
  expect(Object.keys(files)).toEqual([
    "package.json",
    "tsconfig.json",
    "src/index.ts",
    "src/index.test.ts",
    "scenario.yaml",
  ]);
  expect(JSON.parse(files["package.json"] ?? "")).toMatchObject({
    exports: "./dist/index.js",
    scripts: { build: "tsc", test: "tsc && node --test dist/" },
    devDependencies: { typescript: expect.any(String), "@types/node": "^20" },
  });
  expect(JSON.parse(files["tsconfig.json"] ?? "").compilerOptions).toMatchObject({
    rootDir: "src",
    outDir: "dist",
    declaration: true,
  });
  expect(files["src/index.ts"]).toContain("const plugin: NodePlugin<{ label: string }> = {");
  expect(files["scenario.yaml"]).toContain("- ./src/index.ts");
});

test("without a clone it names no package, and its test needs none", () => {
  for (const isTypeScript of [false, true]) {
    const files = filesOf({ clone: undefined, isTypeScript });
    const { devDependencies } = JSON.parse(files["package.json"] ?? "");
    expect(Object.keys(devDependencies)).toEqual(isTypeScript ? ["@types/node", "typescript"] : []);
    const imports = (files[isTypeScript ? "src/index.test.ts" : "index.test.js"] ?? "").match(/(?<=from ").*(?=")/g);
    expect(imports).toEqual(["node:assert/strict", "node:test", "./index.js"]);
  }
});
