/** The package of a plugin or a strategy, in both languages. */
import { expect, test } from "@jest/globals";
import { packageFiles, scenarioText, type TemplateInput } from "../../../../src/commands/create/package-files.js";

const input = (more: Partial<TemplateInput>): TemplateInput => ({
  name: "it",
  isTypeScript: false,
  version: "1.2.3",
  typesOf: (dependency) => `/types/${dependency}`,
  clone: undefined,
  ...more,
});
const files = (more: Partial<TemplateInput>, used?: readonly string[]) =>
  Object.fromEntries(
    Object.entries(packageFiles(input(more), "does it", used)).map(([name, text]) => {
      expect(text).toMatch(/\n$/);
      return [name, JSON.parse(text)];
    }),
  );

const content = {
  name: "it",
  version: "0.1.0",
  description: "does it",
  type: "module",
  keywords: ["hooklet"],
  // hooklet itself gives it the core: a second one would be another.
  peerDependencies: { "@hooklet/core": "^1.2.3" },
  peerDependenciesMeta: { "@hooklet/core": { optional: true } },
};
const compilerOptions = {
  target: "es2023",
  module: "nodenext",
  strict: true,
  skipLibCheck: true,
  paths: { "@hooklet/core": ["/types/@hooklet/core/index.d.ts"] },
};

test("in JavaScript it runs as it is, checked with the types of this hooklet", () => {
  expect(files({})).toEqual({
    "package.json": { ...content, exports: "./index.js", scripts: { test: "node --test" }, devDependencies: {} },
    "jsconfig.json": { compilerOptions: { ...compilerOptions, checkJs: true, noEmit: true }, include: ["index.js"] },
  });
});

test("in TypeScript it is built first", () => {
  expect(files({ isTypeScript: true })).toEqual({
    "package.json": {
      ...content,
      exports: "./dist/index.js",
      scripts: { build: "tsc", test: "tsc && node --test dist/" },
      devDependencies: { "@types/node": "^20", typescript: "^5.9 || ^7" },
    },
    "tsconfig.json": {
      compilerOptions: { ...compilerOptions, rootDir: "src", outDir: "dist", declaration: true, types: ["node"] },
      include: ["src"],
    },
  });
});

test("beside a clone the packages that it uses are links into that, the test kit among them", () => {
  const { "package.json": made, "jsconfig.json": config } = files({ clone: "../packages" }, ["@hooklet/plugin-probe"]);
  expect(made.devDependencies).toEqual({
    "@hooklet/core": "file:../packages/core",
    "@hooklet/testkit": "file:../packages/testkit",
    "@hooklet/plugin-probe": "file:../packages/plugin-probe",
  });
  expect(Object.keys(config.compilerOptions.paths)).toEqual(["@hooklet/core", "@hooklet/plugin-probe"]);
});

test("the scenario beside it says how it is tried", () => {
  expect(scenarioText('says "hi"', "./index.js", "until: 1m\n")).toBe(
    `# Try it: hooklet simulate scenario.yaml; at each save: hooklet dev . --scenario scenario.yaml
description: "says \\"hi\\""
config:
  plugins:
    - ./index.js
until: 1m
`,
  );
});
