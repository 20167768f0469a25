import { configJson } from "@hooklet/core/host";
import { expect, test } from "@jest/globals";
import { gcPlugin, load } from "../../../../config/test/fixture.js";
import { renderConfig } from "../../../src/commands/check.js";

const rc = `port: 1000
plugins:
  - [gc, { order: largest-first }]
`;

test("people see setting, value and origin; the table ends no line with blanks", async () => {
  const { config, folder } = await load({ files: { ".hookletrc": rc }, modules: { "@hooklet/plugin-gc": gcPlugin } });
  const text = renderConfig(config).replaceAll(folder, "/etc/hooklet");
  const lines = text.split("\n").map((line) => line.replace(/ {2,}/g, "  "));
  expect(lines[0]).toBe("rc file: /etc/hooklet/.hookletrc");
  expect(lines).toContain("port  1000  /etc/hooklet/.hookletrc:1");
  expect(lines).toContain("node.maxPods  110  default");
  expect(lines).toContain("sources.fileCheckFrequency  20s  default");
  expect(lines).toContain('plugins["@hooklet/plugin-gc"]  gc  /etc/hooklet/.hookletrc:3');
  expect(lines).toContain('plugins["@hooklet/plugin-gc"].order  largest-first  /etc/hooklet/.hookletrc:3');
  expect(lines).toContain('plugins["@hooklet/plugin-gc"].highThresholdPercent  85  default');
  expect(text).not.toMatch(/ \n/);
});

test("programs get the same as JSON", async () => {
  const { config } = await load({ files: { ".hookletrc": rc }, modules: { "@hooklet/plugin-gc": gcPlugin } });
  const json = JSON.parse(JSON.stringify(configJson(config)));
  expect(json.file).toBe(config.file);
  expect(json.settings).toContainEqual({ path: "port", value: 1000, origin: `${config.file}:1` });
  expect(json.settings).toHaveLength(config.effective.length);
});

test("without an rc file the table says so", async () => {
  expect(renderConfig((await load({})).config)).toMatch(/^No rc file: hooklet's own defaults\./);
});

test("which plugins run, and which setting says so", async () => {
  const plugin = (name: string) => ({ ...gcPlugin, meta: { name, api: 1 } });
  const { config, folder } = await load({
    files: {
      ".hookletrc": "extends: ./base.yaml\nplugins:\n  - [probes, false]\n  - ./mine.mjs\n",
      "base.yaml": "plugins:\n  - [probes, { highThresholdPercent: 90 }]\n",
    },
    modules: { "@hooklet/plugin-gc": gcPlugin, "@hooklet/plugin-probes": plugin("probes"), "mine.mjs": plugin("mine") },
    defaultPlugins: ["@hooklet/plugin-gc", "@hooklet/plugin-probes"],
  });
  const lines = renderConfig(config)
    .replaceAll(folder, "/etc/hooklet")
    .split("\n")
    .map((line) => line.replace(/ {2,}/g, "  "));
  expect(lines.slice(0, 7)).toEqual([
    "rc file: /etc/hooklet/.hookletrc",
    "extends: /etc/hooklet/base.yaml",
    "",
    "PLUGIN  RUNS  WHY",
    "@hooklet/plugin-gc  yes  default",
    "mine  yes  /etc/hooklet/.hookletrc:4",
    "@hooklet/plugin-probes  no  switched off: /etc/hooklet/.hookletrc:3",
  ]);
  expect(configJson(config)).toMatchObject({
    extends: [`${folder}/base.yaml`],
    settings: expect.arrayContaining([
      { path: 'plugins["@hooklet/plugin-probes"]', value: false, origin: `${folder}/.hookletrc:3` },
    ]),
  });
});
