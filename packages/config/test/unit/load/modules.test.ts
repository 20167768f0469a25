import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { defaultExport, nodeModules, withinLoadTime } from "../../../src/load/modules.js";

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
