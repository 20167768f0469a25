import { expect, test } from "@jest/globals";
import { z } from "zod";
import type { Importer } from "../../../src/load/import-file.js";
import { loadRuntime } from "../../../src/load/load-plugins.js";

const runtime = {
  meta: { name: "own", api: 1 },
  options: z.object({ size: z.number().default(1) }),
  create: () => ({}),
};

function loading(exported: unknown, options?: unknown, load = async (): Promise<unknown> => ({ default: exported })) {
  const importer: Importer = {
    modules: { resolve: (name) => (name === "./own.mjs" ? "/x/own.mjs" : undefined), load },
    from: () => "/x/rc",
    hooklet: "/h/index.js",
    trust: () => undefined,
  };
  const entry = { specifier: "./own.mjs", options, path: ["runtime"], optionsPath: ["runtime", "options"] };
  return loadRuntime(entry, importer);
}

test.each([
  ["none", undefined, { size: 1 }],
  ["some", { size: 2 }, { size: 2 }],
])("a runtime gets its options, with defaults: %s given", async (_name, options, parsed) => {
  expect(await loading(runtime, options)).toEqual({
    runtime: { factory: runtime, options: parsed, specifier: "./own.mjs" },
  });
});

const SHAPE = "a runtime ({meta: {name, api: 1}, options, create}) as the default export of /x/own.mjs";
const SCHEMA = "options in /x/own.mjs to be a zod 4 schema";
const at = (path: readonly string[], expected: unknown, found: unknown) => ({ path, expected, found });

test.each<[string, unknown, unknown, object]>([
  ["nothing", undefined, {}, at(["runtime"], SHAPE, "nothing")],
  ["no create", { ...runtime, create: 1 }, {}, at(["runtime"], SHAPE, expect.any(String))],
  ["no name", { ...runtime, meta: { api: 1 } }, {}, at(["runtime"], SHAPE, expect.any(String))],
  ["no meta", { ...runtime, meta: undefined }, {}, at(["runtime"], SHAPE, expect.any(String))],
  ["another api", { ...runtime, meta: { name: "own", api: 2 } }, {}, at(["runtime"], "meta.api 1 in /x/own.mjs", "2")],
  ["no options", { ...runtime, options: undefined }, {}, at(["runtime"], SCHEMA, "a value of type undefined")],
  ["options of another kind", { ...runtime, options: {} }, {}, at(["runtime"], SCHEMA, expect.any(String))],
  ["an option of another type", runtime, { size: "x" }, at(["runtime", "options", "size"], "a number", '"x"')],
  [
    "a schema that throws",
    {
      ...runtime,
      options: z.object({}).transform(() => {
        throw new Error("broken");
      }),
    },
    {},
    at(["runtime"], "options that the runtime's schema can check", "the error: broken"),
  ],
])("%s: a fault with what was expected", async (_name, exported, options, fault) => {
  expect(await loading(exported, options)).toEqual({ faults: [expect.objectContaining(fault)] });
});

test("a runtime whose file throws, or that is not there", async () => {
  const broken = async (): Promise<unknown> => {
    throw new Error("no");
  };
  expect(await loading(runtime, {}, broken)).toEqual({
    faults: [at(["runtime"], "a runtime that can be loaded", "the error in /x/own.mjs: no")],
  });
  const nowhere: Importer = {
    modules: { resolve: () => undefined, load: broken },
    from: () => "/x/rc",
    hooklet: "/h/index.js",
    trust: () => undefined,
  };
  const entry = { specifier: "proces", options: {}, path: ["runtime"], optionsPath: ["runtime", "options"] };
  expect(await loadRuntime(entry, nowhere)).toEqual({
    faults: [
      expect.objectContaining(
        at(
          ["runtime"],
          "a runtime (process, cri, or an installed package: @hooklet/runtime-proces or proces)",
          '"proces"',
        ),
      ),
    ],
  });
});
