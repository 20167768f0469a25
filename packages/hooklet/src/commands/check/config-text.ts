import { table } from "@hooklet/cli/extend";
import type { AgentConfig } from "@hooklet/core/host";
import { foundText } from "@hooklet/utils";

/** For `hooklet check`: the files, which plugins run and why, then every setting with its value and origin. */
export function renderConfig(config: AgentConfig): string {
  const { file, extended = [], effective } = config;
  return [
    file === undefined ? "No rc file: hooklet's own defaults." : `rc file: ${file}`,
    // The strongest first, as the rc file itself stands above them all.
    ...[...extended].reverse().map((base) => `extends: ${base}`),
    "",
    table(["PLUGIN", "RUNS", "WHY"], pluginRows(config)),
    "",
    table(
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

function valueText(value: unknown): string {
  return typeof value === "string" ? value : foundText(value);
}
