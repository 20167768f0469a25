import { duration } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import type { NodePlugin } from "../../../../core/src/plugin/contract.js";
import { faultsOf, gcPlugin, load, type Setup } from "../../fixture.js";

const named = (name: string): NodePlugin => ({ ...gcPlugin, meta: { name, api: 1 } });
const modules = {
  "@hooklet/plugin-gc": gcPlugin,
  "@hooklet/plugin-room": named("@hooklet/plugin-room"),
  "mine.mjs": named("mine"),
  "shared/theirs.mjs": named("theirs"),
};
const defaultPlugins = ["@hooklet/plugin-room", "@hooklet/plugin-gc"];

/** Names and reasons of what runs, and what does not. */
async function running(files: NonNullable<Setup["files"]> = {}): Promise<readonly string[]> {
  const { folder, config } = await load({ files, modules, defaultPlugins });
  const short = (text: string): string => text.replace(`${folder}/`, "").replace("@hooklet/plugin-", "");
  return [
    ...config.plugins.map(({ plugin, origin }) => `${short(plugin.meta.name)}: ${short(origin)}`),
    ...(config.switchedOff ?? []).map(({ specifier, origin }) => `no ${short(specifier)}: ${short(origin)}`),
  ];
}

describe("hooklet's own plugins are on", () => {
  const cases = [
    { name: "without an rc file", files: {}, runs: ["room: default", "gc: default"] },
    {
      name: "and an entry for one configures it where it is",
      files: { ".hookletrc": "plugins:\n  - ./mine.mjs\n  - [room, { lowThresholdPercent: 1 }]" },
      runs: ["room: default", "gc: default", "mine: .hookletrc:2"],
    },
    {
      name: "and a plugin of a base is switched off by the path of its file",
      files: {
        ".hookletrc": "extends: ./shared/base.yaml\nplugins: [[./shared/theirs.mjs, false]]",
        "shared/base.yaml": "plugins: [./theirs.mjs]",
      },
      runs: ["room: default", "gc: default", "no ./theirs.mjs: .hookletrc:2"],
    },
  ];
  test.each(cases)("$name", async ({ files, runs }) => {
    expect(await running(files)).toEqual(runs);
  });
});

test("options of all files that configure a plugin are merged, each with its origin", async () => {
  const { folder, config } = await load({
    files: {
      ".hookletrc": "extends: ./base.yaml\nplugins:\n  - [gc, { lowThresholdPercent: 2 }]",
      "base.yaml": "plugins:\n  - [gc, { lowThresholdPercent: 1, highThresholdPercent: 90 }]",
    },
    modules,
    defaultPlugins,
  });
  const [, gc] = config.plugins;
  expect(gc?.options).toMatchObject({ lowThresholdPercent: 2, highThresholdPercent: 90 });
  const settings = config.effective.filter(({ path }) => path.startsWith('plugins["@hooklet/plugin-gc"]'));
  expect(settings).toEqual([
    { path: 'plugins["@hooklet/plugin-gc"]', value: "@hooklet/plugin-gc", origin: "default" },
    { path: 'plugins["@hooklet/plugin-gc"].highThresholdPercent', value: 90, origin: `${folder}/base.yaml:2` },
    { path: 'plugins["@hooklet/plugin-gc"].lowThresholdPercent', value: 2, origin: `${folder}/.hookletrc:3` },
    { path: 'plugins["@hooklet/plugin-gc"].order', value: "lru", origin: "default" },
  ]);
});

test("a default that is a duration is shown as one", async () => {
  const timed: NodePlugin = {
    ...gcPlugin,
    meta: { name: "timed", api: 1 },
    options: z.strictObject({
      every: duration("1s", "24h").prefault("5m0s"),
      count: z.number().default(300),
      inner: z.strictObject({ age: duration("0s", "1h").default(0.1) }).prefault({}),
    }),
  };
  const { config } = await load({ files: { ".hookletrc": "plugins: [./timed.mjs]" }, modules: { "timed.mjs": timed } });
  const values = config.effective.filter(
    ({ path }) => path.startsWith('plugins["timed"]') || path.startsWith("plugins.timed"),
  );
  expect(values.slice(1).map(({ value }) => value)).toEqual(["5m0s", 300, "100ms", "lru"]);
});

describe("faults", () => {
  const faults = (files: NonNullable<Setup["files"]>) => faultsOf({ files, modules, defaultPlugins });

  test("switching off an unknown plugin suggests a similar name", async () => {
    expect(await faults({ ".hookletrc": "plugins:\n  - [rom, false]" })).toEqual([
      {
        file: ".hookletrc",
        line: 2,
        column: 5,
        path: "plugins[0]",
        expected: "a plugin that is on (@hooklet/plugin-room, @hooklet/plugin-gc)",
        found: '"rom"',
        nearest: ["room"],
      },
    ]);
  });

  test("a plugin with the name of a default one is an error that says how to switch that one off", async () => {
    const all = { ...modules, "mine.mjs": named("@hooklet/plugin-gc") };
    expect(
      await faultsOf({ files: { ".hookletrc": "plugins: [./mine.mjs]" }, modules: all, defaultPlugins }),
    ).toMatchObject([{ path: "plugins[0]", found: expect.stringContaining('(["gc", false] takes that one away)') }]);
  });

  test("a file without ./ is an error with the right spelling", async () => {
    expect(await faults({ ".hookletrc": "plugins: [plugins/a.ts]", "plugins/a.ts": "" })).toMatchObject([
      { nearest: ["./plugins/a.ts"] },
    ]);
  });
});
