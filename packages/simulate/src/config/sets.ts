/** `--set PATH=VALUE`: options over the rc file. */

import { type Layer, parseYamlText, TextFault } from "@hooklet/config";
import { NodeAgentError } from "@hooklet/core";
import { setAt } from "@hooklet/utils";

/** One option: `plugins.imagegc.order` and its value. */
export interface Setting {
  readonly path: readonly string[];
  readonly value: unknown;
  /** As it was written. */
  readonly text: string;
}

/** A step in brackets may hold any character: `node.evictionHard["memory.available"]`. */
const PATH_AND_VALUE = /^((?:\["[^"]*"\]|[^=[])+)=(.*)$/s;

/** As `hooklet check` prints paths: plugins by their names, `plugins["@hooklet/plugin-x"].order`. */
function stepsOf(path: string): readonly string[] {
  const steps = path.replaceAll(/\["([^"]*)"\]/g, (_, step: string) => `.${step.replaceAll(".", "\0")}`).split(".");
  const whole = steps.map((step) => step.replaceAll("\0", "."));
  return whole[0] === "plugins" ? whole.map((step, at) => (at === 1 ? step.replace(OWN_PLUGIN, "") : step)) : whole;
}

const OWN_PLUGIN = /^@hooklet\/plugin-/;

/** @throws NodeAgentError INVALID */
export function parseSet(text: string, option = "--set"): Setting {
  const [, path = "", value = ""] = PATH_AND_VALUE.exec(text) ?? [];
  const steps = stepsOf(path);
  const [first, plugin, ...rest] = steps;
  if (
    path === "" ||
    steps.some((step) => step === "") ||
    (first === "plugins" && (plugin === undefined || rest.length === 0))
  ) {
    throw new NodeAgentError(
      "INVALID",
      `${option}: expected PATH=VALUE such as plugins.imagegc.order=lru or node.maxPods=50, found "${text}".`,
    );
  }
  try {
    return { path: steps, value: parseYamlText(value), text };
  } catch (error) {
    if (!(error instanceof TextFault)) throw error;
    throw new NodeAgentError("INVALID", `${option} ${path}: expected a value in YAML, found ${error.message}.`);
  }
}

/** All of them as one layer of the configuration; `folder`: from where files are found. */
export function setLayer(sets: readonly Setting[], folder: string): Layer {
  const raw: Record<string, unknown> = {};
  const plugins = new Map<string, Record<string, unknown>>();
  for (const { path, value } of sets) {
    const [first = "", second = "", ...rest] = path;
    if (first === "plugins") {
      const options = plugins.get(second) ?? {};
      plugins.set(second, options);
      setAt(options, rest, value);
    } else setAt(raw, path, value);
  }
  if (plugins.size > 0) raw.plugins = [...plugins];
  const names = [...plugins.keys()];
  return {
    file: `${folder}/command-line`,
    raw,
    place: ([first, index, , ...inner]) => {
      const steps = first === "plugins" ? ["plugins", names[Number(index)] ?? "", ...inner] : [first, index];
      const found = sets.find(({ path }) =>
        path.every((step, at) => steps[at] === undefined || String(steps[at]) === step),
      );
      return { file: found === undefined ? "--set" : `--set ${found.text}` };
    },
  };
}
