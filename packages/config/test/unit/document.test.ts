import { describe, expect, test } from "@jest/globals";
import { entryOptions, mergeLayers } from "../../src/document.js";
import { pathText } from "../../src/faults/faults.js";
import type { Layer } from "../../src/layers.js";

/** An rc file; a place in it is its name and the path itself, as the document has it. */
const rc = (file: string, raw: Readonly<Record<string, unknown>>): Layer => ({
  file,
  raw,
  place: (path) => ({ file: `${file}#${pathText(path)}` }),
});
const GC = "@hooklet/plugin-gc";
const merge = (...layers: readonly Layer[]) => mergeLayers(layers, [GC]);
const BASE = "/etc/base.json";
const MINE = "/home/me/rc.json";
const fault = { expected: "a number", found: '"x"' };

describe("the options of several rc files", () => {
  test("are one document, without what was checked or read layer by layer", () => {
    const { values } = merge(
      rc(BASE, { port: 1, node: { maxPods: 5 }, extends: "x", plugins: ["gc"] }),
      rc(MINE, { port: 2, node: { name: "a" } }),
    );
    expect(values).toEqual({ port: 2, node: { maxPods: 5, name: "a" } });
  });

  test("none make an empty one", () => {
    expect(merge().values).toEqual({});
    expect(merge().written(["port"])).toBeUndefined();
    expect(merge().placed({ ...fault, path: ["port"] })).toEqual({ ...fault, file: "default", path: "port" });
  });

  test("a value is written where the last one was set, and nowhere without one", () => {
    const base = rc(BASE, { port: 1 });
    const mine = rc(MINE, { node: {} });
    const { written } = merge(base, mine);
    expect(written(["port"])).toMatchObject({ layer: base, path: ["port"], document: ["port"] });
    expect(written(["node", "name"])).toBeUndefined();
  });

  test("a fault has the place of its value, or of what should hold it", () => {
    const { placed } = merge(rc(BASE, { port: 1 }), rc(MINE, { node: {} }));
    expect(placed({ ...fault, path: ["port"] })).toEqual({ ...fault, file: `${BASE}#port`, path: "port" });
    expect(placed({ ...fault, path: ["node", "name"] })).toEqual({
      ...fault,
      file: `${MINE}#node.name`,
      path: "node.name",
    });
  });
});

describe("the runtime of several rc files", () => {
  const runtimeOf = (...runtimes: readonly unknown[]) =>
    merge(...runtimes.map((runtime, i) => rc(`/${i}`, runtime === undefined ? {} : { runtime }))).values.runtime;

  test.each<[string, readonly unknown[], unknown]>([
    ["is nothing without a name", [undefined], undefined],
    ["is the name that one gives", ["cri"], "cri"],
    ["is the last one named", ["cri", "process"], "process"],
    [
      "has the options of all entries for it",
      [
        { use: "cri", options: { a: 1 } },
        { use: "cri", options: { b: 2 } },
      ],
      { use: "cri", options: { a: 1, b: 2 } },
    ],
    [
      "keeps its options when a later file only names it",
      [{ use: "cri", options: { a: 1 } }, "cri"],
      { use: "cri", options: { a: 1 } },
    ],
    ["has no options that were meant for another one", [{ use: "cri", options: { a: 1 } }, "process"], "process"],
    [
      "has no options from before another one was named",
      [{ use: "cri", options: { a: 1 } }, "process", { use: "cri", options: { b: 2 } }],
      { use: "cri", options: { b: 2 } },
    ],
    ["is shown as it is where it names nothing", ["cri", { options: { a: 1 } }], { options: { a: 1 } }],
    ["is shown as it is where its name is no text", ["cri", { use: 5 }], { use: 5 }],
  ])("%s", (_, runtimes, expected) => expect(runtimeOf(...runtimes)).toEqual(expected));

  const where = (path: readonly (string | number)[], ...runtimes: readonly unknown[]) =>
    merge(...runtimes.map((runtime, i) => rc(`/${i}`, { runtime }))).placed({ ...fault, path });

  test.each<[string, readonly (string | number)[], readonly unknown[], string, string]>([
    ["a name is faulty where it stands", ["runtime", "use"], ["cri", "proces"], "/1#runtime", "runtime"],
    ["a name in an object has its key", ["runtime", "use"], [{ use: "proces" }], "/0#runtime.use", "runtime.use"],
    ["the whole is the last one's", ["runtime"], ["cri", { use: "cri" }], "/1#runtime", "runtime"],
    [
      "an option is faulty in the file that gives it",
      ["runtime", "options", "a"],
      [{ use: "cri", options: { a: 1 } }, "cri"],
      "/0#runtime.options.a",
      "runtime.options.a",
    ],
    [
      "an option that is missed is missed in the last file that gives options",
      ["runtime", "options", "b"],
      [{ use: "cri", options: { a: 1 } }, "cri"],
      "/0#runtime.options.b",
      "runtime.options.b",
    ],
    [
      "or in the one that only names it",
      ["runtime", "options", "a"],
      ["cri"],
      "/0#runtime.options.a",
      "runtime.options.a",
    ],
  ])("%s", (_, path, runtimes, file, shown) =>
    expect(where(path, ...runtimes)).toEqual({ ...fault, file, path: shown }),
  );

  test("an unset runtime has no place", () => {
    expect(merge(rc(BASE, {})).placed({ ...fault, path: ["runtime", "use"] })).toMatchObject({ file: "default" });
  });
});

describe("the plugins of several rc files", () => {
  const pluginsOf = (...lists: readonly unknown[]) =>
    merge(...lists.map((plugins, i) => rc(`/${i}/rc`, plugins === undefined ? {} : { plugins }))).plugins;
  const running = (...lists: readonly unknown[]) =>
    pluginsOf(...lists).entries.map((entry) => {
      const options = entryOptions(entry);
      return options === undefined ? entry.specifier : [entry.specifier, options];
    });

  test.each<[string, readonly unknown[], readonly unknown[]]>([
    ["are hooklet's own by default", [undefined], [GC]],
    ["are added behind hooklet's own", [["acme"]], [GC, "acme"]],
    ["are configured by their short name", [[["gc", { a: 1 }]]], [[GC, { a: 1 }]]],
    ["have the options of all files", [[["gc", { a: 1, b: 1 }]], [["gc", { b: 2 }]]], [[GC, { a: 1, b: 2 }]]],
    ["keep their options when a later file only names them", [[["gc", { a: 1 }]], ["gc"]], [[GC, { a: 1 }]]],
    ["may be named as a list of one", [[["acme"]]], [GC, "acme"]],
    ["are switched off by false", [[["gc", false]]], []],
    ["come back, without the options from before", [[["gc", { a: 1 }]], [["gc", false]], ["gc"]], ["gc"]],
    [
      "are the same where two files name one file, each from its folder",
      [["./a.js"], [["/0/a.js", { b: 1 }]]],
      [GC, ["./a.js", { b: 1 }]],
    ],
    ["are two where two files name a file of theirs", [["./a.js"], ["./a.js"]], [GC, "./a.js", "./a.js"]],
  ])("%s", (_, lists, expected) => expect(running(...lists)).toEqual(expected));

  test("default plugins are known, and switched off ones too, with the place", () => {
    const { entries, switchedOff } = pluginsOf(["acme"], [["gc", false]]);
    expect(entries.map(({ specifier, isDefault }) => [specifier, isDefault])).toEqual([["acme", false]]);
    expect(pluginsOf([["gc", {}]]).entries.map(({ isDefault }) => isDefault)).toEqual([true]);
    expect(switchedOff).toMatchObject([{ specifier: GC, layer: { file: "/1/rc" }, index: 0 }]);
    expect(pluginsOf([["gc", false]], ["gc"]).switchedOff).toEqual([]);
  });

  test.each<[string, readonly unknown[], object]>([
    [
      "one that is named twice in a file",
      ["acme", ["acme", { a: 1 }]],
      {
        file: "/0/rc#plugins[1]",
        path: "plugins[1]",
        expected: "each plugin once in a file",
        found: '"acme", which plugins[0] is as well',
      },
    ],
    [
      "one that is switched off and unknown",
      [["gb", false]],
      {
        file: "/0/rc#plugins[0]",
        path: "plugins[0]",
        expected: `a plugin that is on (${GC})`,
        found: '"gb"',
        nearest: ["gc"],
      },
    ],
    [
      "one that is like no other",
      [["telemetry", false]],
      { file: "/0/rc#plugins[0]", path: "plugins[0]", expected: `a plugin that is on (${GC})`, found: '"telemetry"' },
    ],
    [
      "an entry that is none",
      [5],
      {
        file: "/0/rc#plugins[0]",
        path: "plugins[0]",
        expected: 'a plugin\'s name, or ["name", {options}], or ["name", false]',
        found: "5",
      },
    ],
    [
      "what is no list",
      "gc" as never,
      { file: "/0/rc#plugins", path: "plugins", expected: "a list of plugins", found: '"gc"' },
    ],
  ])("%s is a fault, with its place", (_, plugins, expected) => expect(pluginsOf(plugins).faults).toEqual([expected]));

  test("where none is on, none is named", () => {
    const { faults } = pluginsOf([["gc", false]], [["gc", false]]);
    expect(faults).toMatchObject([{ file: "/1/rc#plugins[0]", expected: "a plugin that is on (none is)" }]);
  });

  test("the first of two in a file counts, and a faulty entry takes nothing from the others", () => {
    expect(running([["acme", { a: 1 }], 5, ["acme", { a: 2 }], "other"])).toEqual([GC, ["acme", { a: 1 }], "other"]);
  });

  const where = (path: readonly (string | number)[], ...lists: readonly unknown[]) =>
    merge(...lists.map((plugins, i) => rc(`/${i}`, { plugins }))).placed({ ...fault, path });

  test.each<[string, readonly (string | number)[], readonly unknown[], string, string]>([
    [
      "an option is faulty in the file that gives it",
      ["plugins", 0, "a"],
      [[["gc", { a: 1 }]], [["gc", { b: 1 }]]],
      "/0#plugins[0][1].a",
      "plugins[0].a",
    ],
    [
      "an option that is missed is missed in the last one",
      ["plugins", 0, "a"],
      [[["gc", { b: 1 }]], ["x", ["gc", { b: 2 }]]],
      "/1#plugins[1][1].a",
      "plugins[1].a",
    ],
    [
      "without options it is missing in the entry that names it",
      ["plugins", 1, "a"],
      [["acme"]],
      "/0#plugins[0]",
      "plugins[0].a",
    ],
    [
      "a plugin itself is faulty where it is named first",
      ["plugins", 1],
      [["acme"], ["x", "acme"]],
      "/0#plugins[0]",
      "plugins[0]",
    ],
    [
      "a default plugin without an entry has no place but its name",
      ["plugins", 0, "a"],
      [[]],
      "default",
      `plugins["${GC}"].a`,
    ],
    ["one that is not there has none at all", ["plugins", 7, "a"], [[]], "default", "plugins[7].a"],
  ])("%s", (_, path, lists, file, shown) => expect(where(path, ...lists)).toEqual({ ...fault, file, path: shown }));

  test("an option is written where it is set, counted in that file", () => {
    const { written } = merge(rc("/0", { plugins: ["x", ["gc", { a: 1 }]] }));
    expect(written(["plugins", 0, "a"])).toMatchObject({ path: ["plugins", 1, "a"], document: ["plugins", 1, 1, "a"] });
    expect(written(["plugins", 0, "b"])).toBeUndefined();
  });
});
