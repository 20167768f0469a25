/** A node's configuration as a scenario's `config`. Pure. */
import type { SettingSeen } from "./observed.js";

/** A plugin and the names of its options; those of KubeletConfiguration are theirs too. */
export interface KnownPlugin {
  readonly specifier: string;
  readonly options: readonly string[];
}

type Options = Readonly<Record<string, unknown>>;

export interface RecordedConfig {
  readonly node?: Options;
  readonly plugins?: readonly (readonly [string, Options | false])[];
}

/** Of a KubeletConfiguration what hooklet has an option for: its names are the kubelet's. */
export function fromKubelet(
  kubelet: Options,
  nodeOptions: readonly string[],
  plugins: readonly KnownPlugin[],
): RecordedConfig {
  const takenFrom = (names: readonly string[]): Options =>
    Object.fromEntries(names.flatMap((name) => (kubelet[name] === undefined ? [] : [[name, kubelet[name]]])));
  const node = takenFrom(nodeOptions.filter((name) => !OWN.includes(name)));
  const entries = plugins.flatMap(({ specifier, options }): [string, Options][] => {
    const taken = takenFrom(options);
    return Object.keys(taken).length === 0 ? [] : [[specifier, taken]];
  });
  return configOf(node, entries);
}

/** Says where things lie on the machine, not what is decided. */
const OWN: readonly string[] = ["resolvConf", "podLogsDir", "name", "capacity"];

/** Of hooklet's settings those that somebody wrote. */
export function fromSettings(settings: readonly SettingSeen[]): RecordedConfig {
  const node: Record<string, unknown> = {};
  const plugins = new Map<string, Options | false>();
  const specifiers = new Map<string, string>();
  for (const { path, value, origin } of settings) {
    const steps = stepsOf(path);
    const [first, second = "", ...rest] = steps;
    if (first === "plugins" && rest.length === 0 && typeof value === "string") specifiers.set(second, value);
    if (first === "plugins" && rest.length === 0 && value === false) plugins.set(second, false);
    if (origin === "default") continue;
    if (first === "node" && !OWN.includes(second)) put(node, [second, ...rest], value);
    if (first === "plugins" && rest.length > 0) {
      const specifier = specifiers.get(second) ?? second;
      const options = (plugins.get(specifier) || {}) as Record<string, unknown>;
      put(options, rest, value);
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

function put(into: Record<string, unknown>, [key = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    into[key] = value;
    return;
  }
  const inner = (into[key] ?? {}) as Record<string, unknown>;
  into[key] = inner;
  put(inner, rest, value);
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
