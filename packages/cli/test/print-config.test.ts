import { configJson } from "@hooklet/core/host";
import { expect, test } from "@jest/globals";
import { gcPlugin, load } from "../../core/test/config/fixture.js";
import { renderConfig } from "../src/print/config.js";

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
  expect(lines).toContain("plugins[0]  gc  /etc/hooklet/.hookletrc:3");
  expect(lines).toContain("plugins[0].order  largest-first  /etc/hooklet/.hookletrc:3");
  expect(lines).toContain("plugins[0].highThresholdPercent  85  default");
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
