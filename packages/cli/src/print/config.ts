import { foundText } from "@hooklet/core/base";
import type { AgentConfig } from "@hooklet/core/host";
import Table from "cli-table3";

/** For `hooklet check`: the files, which plugins run and why, then every setting with its value and origin. */
export function renderConfig(config: AgentConfig): string {
  const { file, extended = [], effective } = config;
  return [
    file === undefined ? "No rc file: hooklet's own defaults." : `rc file: ${file}`,
    // The strongest first, as the rc file itself stands above them all.
    ...[...extended].reverse().map((base) => `extends: ${base}`),
    "",
    ...plainTable(["PLUGIN", "RUNS", "WHY"], pluginRows(config)),
    "",
    ...plainTable(
      ["SETTING", "VALUE", "ORIGIN"],
      effective.map(({ path, value, origin }) => [path, valueText(value), origin]),
    ),
    "",
  ].join("\n");
}

function pluginRows({ plugins, switchedOff = [] }: AgentConfig): readonly (readonly string[])[] {
  return [
    ...plugins.map(({ plugin, origin }) => [plugin.meta.name, "yes", origin]),
    ...switchedOff.map(({ specifier, origin }) => [specifier, "no", `switched off: ${origin}`]),
  ];
}

function plainTable(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const table = new Table({
    head: [...head],
    chars: plainChars,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd());
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : foundText(value);
}

const plainChars = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};
