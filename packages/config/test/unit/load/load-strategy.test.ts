import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import type { NodePlugin } from "../../../../core/src/plugin/contract.js";
import type { LoadedPlugin } from "../../../../core/src/plugin/loaded.js";
import { resolveStrategy, type StrategyRequest } from "../../../src/load/load-strategy.js";
import { faultsOf, load } from "../../fixture.js";

const byAge = { description: "oldest first", options: z.object({}), create: () => () => "by-age" };
const weighted = {
  description: "age times size",
  options: z.object({ weight: z.number().default(2) }),
  create:
    ({ weight }: { weight: number }) =>
    () =>
      `weight ${weight}`,
};
const host: NodePlugin = {
  meta: { name: "gc", api: 1 },
  options: z.object({}),
  strategies: { order: { "by-age": byAge, weighted } },
  start() {},
};
const victims: NodePlugin = {
  ...host,
  strategies: { order: { first: { description: "", options: z.object({}), create: () => ({ pick: () => "first" }) } } },
};

const setup = (order: unknown, more: Record<string, unknown> = {}, plugin = host) => ({
  files: { ".hookletrc.json": JSON.stringify({ plugins: [["./gc.mjs", order === undefined ? {} : { order }]] }) },
  modules: { "gc.mjs": plugin, ...more },
});
const run = async (order: unknown, more?: Record<string, unknown>) => {
  const { config } = await load(setup(order, more));
  const [plugin] = config.plugins as [LoadedPlugin];
  return { result: (plugin.strategies as { readonly order: () => string }).order(), written: plugin.written?.order };
};

describe("a strategy option", () => {
  test.each([
    { name: "left out is the first of the table", order: undefined, result: "by-age", written: "by-age" },
    { name: "is a built-in by name", order: "weighted", result: "weight 2", written: "weighted" },
    {
      name: "is a built-in with options",
      order: { use: "weighted", options: { weight: 5 } },
      result: "weight 5",
      written: { use: "weighted", options: { weight: 5 } },
    },
    { name: "is a function from a file", order: { use: "./own.mjs" }, result: "own", written: { use: "./own.mjs" } },
    { name: "is a factory from a file", order: { use: "./factory.mjs", options: { n: 3 } }, result: "made 3" },
    { name: "is a package", order: { use: "@acme/order" }, result: "acme" },
  ])("$name", async ({ order, result, written }) => {
    const made = await run(order, {
      "own.mjs": () => "own",
      "factory.mjs": {
        options: (zod: typeof z) => zod.object({ n: zod.number() }),
        create:
          ({ n }: { n: number }) =>
          () =>
            `made ${n}`,
      },
      "@acme/order": () => "acme",
    });
    expect(made.result).toBe(result);
    if (written !== undefined) expect(made.written).toEqual(written);
  });

  const cases: { name: string; order: unknown; path: string; says: object; module?: unknown }[] = [
    {
      name: "an unknown name lists the known ones and the nearest",
      order: "by-aeg",
      path: "order",
      says: { expected: expect.stringContaining("(by-age, weighted)"), found: '"by-aeg"', nearest: ["by-age"] },
    },
    {
      name: "a name of every object is no strategy",
      order: "constructor",
      path: "order",
      says: { found: '"constructor"' },
    },
    {
      name: "a file that is not there",
      order: { use: "./gone.mjs" },
      path: "order.use",
      says: { found: '"./gone.mjs"' },
    },
    { name: "a number", order: 5, path: "order", says: { found: "5" } },
    {
      name: "a misspelt key",
      order: { use: "weighted", option: {} },
      path: "order.option",
      says: { nearest: ["options"] },
    },
    {
      name: "an unknown option of a built-in",
      order: { use: "weighted", options: { wieght: 1 } },
      path: "order.options.wieght",
      says: { nearest: ["weight"] },
    },
    {
      name: "a wrong option",
      order: { use: "weighted", options: { weight: "x" } },
      path: "order.options.weight",
      says: { expected: "a number" },
    },
    {
      name: "options for a strategy that takes none",
      order: { use: "./own.mjs", options: { a: 1 } },
      path: "order.options",
      says: { found: '{"a":1}' },
      module: () => "own",
    },
    {
      name: "a file with something else",
      order: { use: "./own.mjs" },
      path: "order.use",
      says: { expected: expect.stringContaining("a function") },
      module: { a: 1 },
    },
    {
      name: "a factory that throws",
      order: { use: "./own.mjs" },
      path: "order.use",
      says: { found: "the error: no" },
      module: {
        create() {
          throw new Error("no");
        },
      },
    },
  ];
  test.each(cases)("$name is a fault", async ({ order, path, says, module }) => {
    const faults = await faultsOf(setup(order, module === undefined ? {} : { "own.mjs": module }));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ path: `plugins[0].${path}`, ...says });
  });

  test("a custom strategy that does not come back is broken off after a second", async () => {
    const hangs = (): never => {
      for (;;);
    };
    await expect(run({ use: "./own.mjs" }, { "own.mjs": hangs })).rejects.toThrow(
      "it did not come back within 1000 ms",
    );
    const made = { create: () => hangs };
    await expect(run({ use: "./own.mjs" }, { "own.mjs": made })).rejects.toThrow("it did not come back within 1000 ms");
  });

  test("a custom strategy must have the methods that the built-in ones share", async () => {
    const wrong = await faultsOf(setup({ use: "./own.mjs" }, { "own.mjs": { choose() {} } }, victims));
    expect(wrong).toMatchObject([
      { expected: expect.stringContaining("an object with pick()"), found: "an object with choose()" },
    ]);
    class Own {
      pick(): string {
        return "own";
      }
    }
    const { config } = await load(setup({ use: "./own.mjs" }, { "own.mjs": new Own() }, victims));
    expect(config.plugins[0]?.strategies).toEqual({ order: expect.any(Own) });
  });
});

describe("what a strategy may not be", () => {
  const table = { "by-age": byAge, weighted };
  const methods = {
    a: { description: "", create: () => ({ pick() {}, drop() {} }) },
    b: { description: "", create: () => ({ pick() {} }) },
    broken: { description: "", options: z.object({ n: z.number() }), create: () => "never made without options" },
  } as unknown as StrategyRequest["table"];
  const request = (value: unknown, module?: unknown, of: StrategyRequest["table"] = table) =>
    resolveStrategy({ table: of, value, path: ["order"] }, async (specifier) =>
      specifier === "./own.mjs" ? { value: module } : undefined,
    );
  const one = (path: readonly string[], expected: string, found: string, nearest?: readonly string[]) => ({
    faults: [{ path, expected, found, ...(nearest && { nearest }) }],
  });
  const own = { use: "./own.mjs" };

  test.each<[string, unknown, unknown, object]>([
    [
      "an unknown name",
      "by-size",
      undefined,
      one(["order"], "a known strategy (by-age, weighted), or {use: FILE or PACKAGE}", '"by-size"'),
    ],
    [
      "an unknown name in an object",
      { use: "by-aeg" },
      undefined,
      one(["order", "use"], "a known strategy (by-age, weighted), or a file or package that is there", '"by-aeg"', [
        "by-age",
      ]),
    ],
    ...[5, [], {}, { use: 5 }].map((value): [string, unknown, unknown, object] => [
      `neither a name nor an object with one: ${JSON.stringify(value)}`,
      value,
      undefined,
      one(["order"], "the name of a strategy, or {use: NAME, options: {...}}", JSON.stringify(value)),
    ]),
    [
      "an unknown key",
      { use: "by-age", option: {} },
      undefined,
      one(["order", "option"], "a known option (use, options)", 'unknown option "option"', ["options"]),
    ],
    [
      "options for a module that takes none",
      { ...own, options: { a: 1 } },
      () => "own",
      one(["order", "options"], "no options: the module exports no create(options)", '{"a":1}'),
    ],
    [
      "a factory whose options are no schema",
      own,
      { options: () => ({}), create: () => () => "own" },
      one(["order", "use"], "options of the strategy as a zod 4 schema", "a value of type object"),
    ],
    [
      "a value in place of a function",
      own,
      "text",
      one(["order", "use"], "a default export that is (or creates) a function", "neither a function nor an object"),
    ],
    [
      "an object without methods in place of a function",
      own,
      { a: 1 },
      one(["order", "use"], "a default export that is (or creates) a function", "an object without methods"),
    ],
  ])("%s", async (_name, value, module, expected) => {
    const made = await request(value, module);
    expect({ faults: made.faults?.map((fault) => JSON.parse(JSON.stringify(fault)) as object) }).toEqual(expected);
  });

  test("an object needs the methods that all built-in ones have, and no more", async () => {
    const wrong = await request(own, { drop() {} }, methods);
    expect(wrong.faults).toMatchObject([
      { expected: "a default export that is (or creates) an object with pick()", found: "an object with drop()" },
    ]);
    expect((await request(own, () => 1, methods)).faults).toMatchObject([{ found: "a function" }]);
    expect((await request(own, null, methods)).faults).toMatchObject([{ found: "neither a function nor an object" }]);
    expect((await request(own, { pick() {}, more() {} }, methods)).faults).toBeUndefined();
  });

  test("null for options is none", async () => {
    expect((await request({ use: "weighted", options: null })).faults).toBeUndefined();
  });
});
