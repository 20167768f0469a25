import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import type { NodePlugin } from "../../../../core/src/plugin/contract.js";
import { faultsOf, gcPlugin, load } from "../../fixture.js";

const plugin = (name: string, more: object = {}, requires?: readonly string[]) => ({
  meta: { name, api: 1, ...(requires && { requires }) },
  options: z.object({}),
  start() {},
  ...more,
});
const rc = (plugins: unknown) => ({ ".hookletrc.json": JSON.stringify({ plugins }) });

describe("finding plugins", () => {
  test.each([
    { name: "a short name is hooklet's own package", entry: "gc", module: "@hooklet/plugin-gc" },
    { name: "a plain name may be any package", entry: "my-plugin", module: "my-plugin" },
    { name: "a scoped package is taken as it is", entry: "@acme/gc", module: "@acme/gc" },
    { name: "a path is relative to the rc file", entry: "./plugins/gc.mjs", module: "plugins/gc.mjs" },
    { name: "an entry with options", entry: ["gc", { highThresholdPercent: 90 }], module: "@hooklet/plugin-gc" },
    { name: "an entry of one", entry: ["gc"], module: "@hooklet/plugin-gc" },
  ])("$name", async ({ entry, module }) => {
    const { config } = await load({ files: rc([entry]), modules: { [module]: gcPlugin } });
    expect(config.plugins).toMatchObject([
      { plugin: { meta: { name: "@hooklet/plugin-gc" } }, origin: expect.stringMatching(/\.hookletrc\.json:1$/) },
    ]);
    expect(config.plugins[0]?.file.endsWith(module)).toBe(true);
  });

  test("hooklet's own package wins over another of the short name", async () => {
    const modules = { "@hooklet/plugin-gc": plugin("own"), gc: plugin("other") };
    const { config } = await load({ files: rc(["gc"]), modules });
    expect(config.plugins[0]?.plugin.meta.name).toBe("own");
  });
});

describe("what is refused", () => {
  const cases: { name: string; module: unknown; expected: RegExp; found: RegExp }[] = [
    { name: "a module without a default export", module: undefined, expected: /default export/, found: /nothing/ },
    {
      name: "a module that throws when it is read",
      module: Object.defineProperty({}, "meta", { get: () => JSON.parse("{") }),
      expected: /that can be read/,
      found: /the error/,
    },
    { name: "a plugin without meta", module: {}, expected: /meta \{name, api: 1\}/, found: /nothing/ },
    {
      name: "another api version",
      module: plugin("p", { meta: { name: "p", api: 2 } }),
      expected: /meta.api 1/,
      found: /^2$/,
    },
    { name: "a malformed name", module: plugin("my plugin"), expected: /meta.name/, found: /my plugin/ },
    {
      name: "requires that is no list",
      module: plugin("p", { meta: { name: "p", api: 1, requires: "a" } }),
      expected: /list of names/,
      found: /"a"/,
    },
    { name: "no start", module: plugin("p", { start: 1 }), expected: /function start/, found: /1/ },
    {
      name: "options that are no schema",
      module: plugin("p", { options: {} }),
      expected: /zod 4 schema/,
      found: /type object/,
    },
    {
      name: "a schema of zod 3",
      module: plugin("p", { options: { safeParse() {} } }),
      expected: /zod 4/,
      found: /zod 3/,
    },
    {
      name: "a schema that throws",
      module: plugin("p", {
        options: () => {
          throw new Error("oops");
        },
      }),
      expected: /zod 4 schema/,
      found: /oops/,
    },
  ];
  test.each(cases)("$name", async ({ module, expected, found }) => {
    const faults = await faultsOf({ files: rc(["./p.mjs"]), modules: { "p.mjs": module } });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({
      file: ".hookletrc.json",
      path: "plugins[0]",
      expected: expect.stringMatching(expected),
      found: expect.stringMatching(found),
    });
  });

  test("a module that throws when imported is reported with file and error", async () => {
    const files = { ...rc(["./bad.mjs"]), "bad.mjs": "nowhere();" };
    expect(await faultsOf({ files })).toMatchObject([
      { path: "plugins[0]", found: "the error in bad.mjs: nowhere is not defined" },
    ]);
  });

  test("two plugins of one name", async () => {
    const modules = { "a.mjs": plugin("same"), "b.mjs": plugin("same") };
    expect(await faultsOf({ files: rc(["./a.mjs", "./b.mjs"]), modules })).toMatchObject([
      { path: "plugins[1]", found: '"same", which the one of .hookletrc.json:1 is as well' },
    ]);
  });

  test("a requirement that is not there, with the name it may have meant", async () => {
    const modules = { "a.mjs": plugin("a", {}, ["cgroup"]), "b.mjs": plugin("cgroups") };
    expect(await faultsOf({ files: rc(["./a.mjs", "./b.mjs"]), modules })).toMatchObject([
      { path: "plugins[0]", expected: expect.stringContaining('"cgroup", which "a" requires'), nearest: ["cgroups"] },
    ]);
  });

  test("requirements in a loop, with the way round it", async () => {
    const modules = {
      "a.mjs": plugin("a", {}, ["b"]),
      "b.mjs": plugin("b", {}, ["c"]),
      "c.mjs": plugin("c", {}, ["b"]),
    };
    expect(await faultsOf({ files: rc(["./a.mjs", "./b.mjs", "./c.mjs"]), modules })).toMatchObject([
      { path: "plugins[1]", found: "the loop b -> c -> b" },
    ]);
  });

  test("a plugin that requires itself", async () => {
    const modules = { "a.mjs": plugin("a", {}, ["a"]) };
    expect(await faultsOf({ files: rc(["./a.mjs"]), modules })).toMatchObject([{ found: "the loop a -> a" }]);
  });
});

test("requirements are started first, the others in the order of the rc file", async () => {
  const modules = {
    "a.mjs": plugin("a", {}, ["d"]),
    "b.mjs": plugin("b"),
    "c.mjs": plugin("c", {}, ["a"]),
    "d.mjs": plugin("d"),
  };
  const { config } = await load({ files: rc(["./c.mjs", "./b.mjs", "./a.mjs", "./d.mjs"]), modules });
  expect(config.plugins.map((one) => one.plugin.meta.name)).toEqual(["d", "a", "c", "b"]);
});

describe("options", () => {
  test("unknown keys are faults although the schema would drop them, with the nearest names, strategies included", async () => {
    const entry = ["gc", { highTresholdPercent: 90, oder: "lru" }];
    const faults = await faultsOf({ files: rc([entry]), modules: { "@hooklet/plugin-gc": gcPlugin } });
    expect(faults).toMatchObject([
      { path: "plugins[0].highTresholdPercent", nearest: ["highThresholdPercent"] },
      { path: "plugins[0].oder", nearest: ["order"] },
    ]);
  });

  test("a schema given as a function gets hooklet's zod", async () => {
    const options: NodePlugin["options"] = (zod) => zod.object({ team: zod.string().default("red") });
    const { config } = await load({ files: rc(["./p.mjs"]), modules: { "p.mjs": plugin("p", { options }) } });
    expect(config.plugins[0]?.options).toEqual({ team: "red" });
  });

  test("a schema that throws while it checks is a fault, not a crash", async () => {
    const options = z.object({}).transform(() => {
      throw new Error("bug");
    });
    const modules = { "p.mjs": plugin("p", { options }) };
    expect(await faultsOf({ files: rc(["./p.mjs"]), modules })).toMatchObject([{ found: "the error: bug" }]);
  });
});

describe("runtimes", () => {
  const runtimeRc = (runtime: unknown) => ({ ".hookletrc.json": JSON.stringify({ runtime }) });
  test.each([
    { name: "one that is not there", runtime: "proces", path: "runtime", says: { nearest: ["process"] } },
    {
      name: "a module that is no runtime",
      runtime: "./r.mjs",
      path: "runtime",
      says: { expected: expect.stringMatching(/a runtime/) },
    },
    {
      name: "wrong options",
      runtime: { use: "process", options: { cgroups: 1 } },
      path: "runtime.options.cgroups",
      says: { expected: "true or false" },
    },
    {
      name: "an unknown option",
      runtime: { use: "process", options: { cgroup: true } },
      path: "runtime.options.cgroup",
      says: { nearest: ["cgroups"] },
    },
  ])("$name is a fault", async ({ runtime, path, says }) => {
    const faults = await faultsOf({ files: runtimeRc(runtime), modules: { "r.mjs": {} } });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ path, ...says });
  });
});
