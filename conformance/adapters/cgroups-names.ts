import { errorText } from "@hooklet/core";
import { cgroupfsPath, cgroupName, parseCgroupfs, parseSystemd, systemdPath } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

interface Input {
  readonly question: string;
  readonly cgroupName?: readonly string[];
  readonly text?: string;
  readonly append?: readonly string[];
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["question", "cgroupName", "text", "append"]);
    const { question, cgroupName: name = [], text = "", append = [] } = input;
    switch (question) {
      case "systemd_basename":
        return { name: systemdPath(name).split("/").at(-1) || "/" };
      case "systemd_path":
        return { name: systemdPath(name) };
      case "cgroupfs_path":
        return { name: cgroupfsPath(name) };
      case "parse_systemd":
        return { cgroupName: parseSystemd(text) };
      case "parse_cgroupfs":
        return { cgroupName: parseCgroupfs(text) };
      case "parse_cgroupfs_then_append":
        return { cgroupName: appended(parseCgroupfs(text), append) };
      case "new_name":
        return newName(name);
      default:
        throw new Error(`unknown question ${question}`);
    }
  },
};

/** Appends one after the other, and something else each time: a longer name must not show in the shorter one. */
function appended(base: readonly string[], components: readonly string[]): readonly string[] {
  return components.reduce((name, component) => {
    const longer = cgroupName(name, component);
    cgroupName(name, "other");
    return longer;
  }, base);
}

function newName(components: readonly string[]): object {
  try {
    return { cgroupName: cgroupName([], ...components) };
  } catch (error) {
    return { error: errorText(error) };
  }
}
