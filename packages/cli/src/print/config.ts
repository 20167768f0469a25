import { foundText } from "@hooklet/core/base";
import type { AgentConfig } from "@hooklet/core/host";
import Table from "cli-table3";

/** The effective configuration as a table: setting, value, origin. For `hooklet check`. */
export function renderConfig({ file, effective }: AgentConfig): string {
  const table = new Table({
    head: ["SETTING", "VALUE", "ORIGIN"],
    chars: plainChars,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const { path, value, origin } of effective) table.push([path, valueText(value), origin]);
  const head = file === undefined ? "No rc file: hooklet's own defaults." : `rc file: ${file}`;
  const lines = table.toString().split("\n");
  return `${[head, "", ...lines.map((line) => line.trimEnd())].join("\n")}\n`;
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
