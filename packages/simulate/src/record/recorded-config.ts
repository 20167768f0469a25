/** A node's configuration as a scenario's `config`. Pure. */

import { dirname, resolve } from "node:path";
import { isRecord } from "@hooklet/manifest";
import { setAt } from "@hooklet/utils";
import type { SettingSeen } from "./observed.js";

type Options = Readonly<Record<string, unknown>>;

export interface RecordedConfig {
  readonly node?: Options;
  readonly plugins?: readonly (readonly [string, Options | false])[];
}

/** Of an rc file what decisions go by: the node's options and those of plugins. */
export function fromRc({ node, plugins }: Readonly<Record<string, unknown>>): RecordedConfig {
  const own = Object.entries(isRecord(node) ? node : {}).filter(([name]) => !OWN.includes(name));
  return configOf(Object.fromEntries(own), (plugins ?? []) as NonNullable<RecordedConfig["plugins"]>);
}

/** Says where things lie on the machine, not what is decided. */
const OWN: readonly string[] = ["resolvConf", "podLogsDir", "name", "capacity"];

/**
 * hooklet's settings that a user has set, with the plugins that hooklet does not bring.
 * @param fileName how the scenario names a file of a plugin or strategy
 * @param sources specifiers of plugins that bring pods from elsewhere: a scenario has its own, and where theirs come from is the machine's
 */
export function fromSettings(
  settings: readonly SettingSeen[],
  fileName: (file: string) => string,
  sources: readonly string[] = [],
): RecordedConfig {
  const node: Record<string, unknown> = {};
  const plugins = new Map<string, Options | false>();
  const specifiers = new Map<string, string>();
  const named = (specifier: string, origin: string): string =>
    /^\.{0,2}\//.test(specifier) ? fileName(resolve(dirname(origin.replace(/:\d+$/, "")), specifier)) : specifier;
  for (const { path, value, origin } of settings) {
    const steps = stepsOf(path);
    const [first, second = "", ...rest] = steps;
    if (first === "plugins" && rest.length === 0 && typeof value === "string") {
      const specifier = named(value, origin);
      specifiers.set(second, specifier);
      if (origin !== "default" && !sources.includes(specifier)) plugins.set(specifier, {});
    }
    if (first === "plugins" && rest.length === 0 && value === false) plugins.set(second, false);
    if (origin === "default") continue;
    if (first === "node" && !OWN.includes(second)) setAt(node, [second, ...rest], value);
    if (first === "plugins" && rest.length > 0) {
      const specifier = specifiers.get(second) ?? second;
      if (sources.includes(specifier)) continue;
      const options = (plugins.get(specifier) || {}) as Record<string, unknown>;
      const isFile = rest.at(-1) === "use" && typeof value === "string";
      setAt(options, rest, isFile ? named(value, origin) : value);
      plugins.set(specifier, options);
    }
  }
  return configOf(node, [...plugins]);
}

function configOf(node: Options, plugins: readonly (readonly [string, Options | false])[]): RecordedConfig {
  return {
    ...(Object.keys(node).length === 0 ? {} : { node }),
    ...(plugins.length === 0 ? {} : { plugins }),
  };
}

/** `plugins["@hooklet/x"].a.b` as steps. */
function stepsOf(path: string): readonly string[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

/** Without one option that the plugin, or the node, does not take as it is. @param path as faults name it: `node.x`, `plugins[1].x` */
export function without(config: RecordedConfig, path: string): RecordedConfig | undefined {
  const [, option] = /^node\.([^.[]+)/.exec(path) ?? [];
  if (option !== undefined && config.node !== undefined) {
    const { [option]: _, ...node } = config.node;
    return { ...config, node };
  }
  const [, index, name] = /^plugins\[(\d+)\](?:\.([^.[]+))?/.exec(path) ?? [];
  const entry = index === undefined ? undefined : config.plugins?.[Number(index)];
  if (entry === undefined) return undefined;
  const [specifier, options] = entry;
  const plugins = (config.plugins ?? []).flatMap((one): (readonly [string, Options | false])[] => {
    if (one !== entry) return [one];
    if (name === undefined || options === false) return [];
    const { [name]: _, ...rest } = options;
    return [[specifier, rest]];
  });
  return { ...config, plugins };
}
