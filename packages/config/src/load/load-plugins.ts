import type { RuntimeFactory } from "@hooklet/core/host";
import { defaultRuntime, type LoadedPlugin, type LoadedRuntime, notASchema } from "@hooklet/core/internal";
import { nearest } from "@hooklet/manifest";
import { errorText } from "@hooklet/utils";
import { type Path, type ValueFault, valueFault, wordFault } from "../faults/faults.js";
import { parseWith } from "../faults/schema-faults.js";
import { candidates, shortName } from "./candidates.js";
import { type Importer, type ImportRequest, importFile, missing } from "./import-file.js";
import { type CheckedPlugin, checkPlugin, parseOptions } from "./plugin-options.js";

/** An entry of the rc file's `plugins`. */
export interface PluginEntry {
  readonly specifier: string;
  /** The merged options as written; undefined without any. */
  readonly options: unknown;
  /** `["plugins", n]`, the nth of the entries. */
  readonly path: Path;
  /** Why it runs, for messages: `default`, or `FILE:LINE` of the entry. */
  readonly origin: string;
}

interface LoadedPlugins {
  /** In the order of their start; incomplete while there are faults. */
  readonly plugins: readonly LoadedPlugin[];
  readonly faults: readonly ValueFault[];
}

/** Imports, checks and orders the plugins. All faults of all plugins are reported together; nothing is started. */
export async function loadPlugins(entries: readonly PluginEntry[], importer: Importer): Promise<LoadedPlugins> {
  const known = entries.flatMap(({ specifier, origin }) =>
    origin === "default" ? [specifier, shortName("plugin", specifier)] : [],
  );
  const faults: ValueFault[] = [];
  const loaded: { entry: PluginEntry; plugin: LoadedPlugin }[] = [];
  for (const entry of entries) {
    const one = await loadPlugin(entry, known, importer);
    if ("faults" in one) {
      faults.push(...one.faults);
      if (one.plugin === undefined) continue;
    }
    if (one.plugin !== undefined) loaded.push({ entry, plugin: one.plugin });
  }
  faults.push(...duplicates(loaded), ...unmetRequirements(loaded));
  const ordered = startOrder(
    loaded.map(({ entry, plugin }) => ({
      name: plugin.plugin.meta.name,
      requires: plugin.plugin.meta.requires ?? [],
      entry,
      plugin,
    })),
  );
  if ("loop" in ordered) {
    const first = loaded.find(({ plugin }) => plugin.plugin.meta.name === ordered.loop[0]);
    const path = first?.entry.path ?? ["plugins"];
    faults.push(wordFault(path, "requirements without a loop", `the loop ${ordered.loop.join(" -> ")}`));
    return { plugins: [], faults };
  }
  return { plugins: ordered.order.map(({ plugin }) => plugin), faults };
}

type LoadedOne =
  | { readonly plugin: LoadedPlugin }
  | { readonly plugin?: LoadedPlugin; readonly faults: readonly ValueFault[] };

async function loadPlugin(entry: PluginEntry, known: readonly string[], importer: Importer): Promise<LoadedOne> {
  const { specifier, path, origin } = entry;
  const names = candidates("plugin", specifier);
  const request: ImportRequest = { what: "plugin", specifier, names, path, known };
  const imported = await importFile(request, importer);
  if (imported === undefined) return { faults: [missing(request, importer)] };
  if (imported.fault !== undefined) return { faults: [imported.fault] };
  const checked = checkSafely(imported.value, imported.file, path);
  if ("faults" in checked) return checked;
  const { plugin, schema } = checked;
  const parsed = await parseOptions({ plugin, schema, raw: entry.options, path }, importer);
  const base = { plugin, specifier, origin, file: imported.file };
  if (parsed.faults !== undefined)
    return { plugin: { ...base, options: undefined, strategies: {}, written: {} }, faults: parsed.faults };
  const { options, strategies, written } = parsed;
  return { plugin: { ...base, options, strategies, written } };
}

/** Reading a module's export may throw. */
function checkSafely(exported: unknown, file: string, path: Path): CheckedPlugin {
  try {
    return checkPlugin(exported, file, path);
  } catch (error) {
    return { faults: [wordFault(path, `a plugin in ${file} that can be read`, `the error: ${errorText(error)}`)] };
  }
}

type Loaded = readonly { readonly entry: PluginEntry; readonly plugin: LoadedPlugin }[];

function duplicates(loaded: Loaded): readonly ValueFault[] {
  const first = new Map<string, PluginEntry>();
  return loaded.flatMap(({ entry, plugin }) => {
    const { name } = plugin.plugin.meta;
    const earlier = first.get(name);
    if (earlier === undefined) {
      first.set(name, entry);
      return [];
    }
    const other =
      earlier.origin === "default"
        ? `one of hooklet's own is as well (["${shortName("plugin", earlier.specifier)}", false] takes that one away)`
        : `the one of ${earlier.origin} is as well`;
    return [wordFault(entry.path, "plugins of different names", `"${name}", which ${other}`)];
  });
}

function unmetRequirements(loaded: Loaded): readonly ValueFault[] {
  const names = loaded.map(({ plugin }) => plugin.plugin.meta.name);
  return loaded.flatMap(({ entry, plugin }) => {
    const { name, requires = [] } = plugin.plugin.meta;
    return requires
      .filter((required) => !names.includes(required))
      .map((required) => {
        const expected = `the plugin "${required}", which "${name}" requires, among the plugins`;
        const others = names.filter((other) => other !== name);
        return valueFault(entry.path, expected, others, nearest(required, others));
      });
  });
}

/** Pure. */

/** A plugin as far as its place in the order of start goes. */
export interface Ordered {
  readonly name: string;
  readonly requires: readonly string[];
}

type Order<T extends Ordered> =
  | { readonly order: readonly T[] }
  /** The names along the loop; the first is repeated at the end. */
  | { readonly loop: readonly string[] };

/** Requirements first, else the given order. Requirements that are not there are passed over. */
export function startOrder<T extends Ordered>(plugins: readonly T[]): Order<T> {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const done = new Set<string>();
  const order: T[] = [];

  const visit = (plugin: T, above: readonly string[]): readonly string[] | undefined => {
    if (done.has(plugin.name)) return undefined;
    const at = above.indexOf(plugin.name);
    if (at >= 0) return [...above.slice(at), plugin.name];
    for (const name of plugin.requires) {
      const required = byName.get(name);
      const loop = required === undefined ? undefined : visit(required, [...above, plugin.name]);
      if (loop !== undefined) return loop;
    }
    done.add(plugin.name);
    order.push(plugin);
    return undefined;
  };

  for (const plugin of plugins) {
    const loop = visit(plugin, []);
    if (loop !== undefined) return { loop };
  }
  return { order };
}

const knownRuntimes: readonly string[] = [defaultRuntime, "cri"];

export interface RuntimeEntry {
  readonly specifier: string;
  readonly options: unknown;
  /** Of the specifier, and of its options. */
  readonly path: Path;
  readonly optionsPath: Path;
}

/** Imports and checks the runtime, or tells all that is wrong with it. Never throws. */
export async function loadRuntime(
  entry: RuntimeEntry,
  importer: Importer,
): Promise<{ readonly runtime: LoadedRuntime } | { readonly faults: readonly ValueFault[] }> {
  const { specifier, path } = entry;
  const names = candidates("runtime", specifier);
  const request = { what: "runtime", specifier, names, path, known: knownRuntimes };
  const imported = await importFile(request, importer);
  if (imported === undefined) return { faults: [missing(request, importer)] };
  if (imported.fault !== undefined) return { faults: [imported.fault] };

  const factory = imported.value as Partial<RuntimeFactory> | undefined | null;
  const shape = `a runtime ({meta: {name, api: 1}, options, create}) as the default export of ${imported.file}`;
  const isRuntime = typeof factory?.create === "function" && typeof factory.meta?.name === "string";
  if (!isRuntime) return { faults: [valueFault(path, shape, imported.value)] };
  if (factory.meta?.api !== 1) {
    return { faults: [valueFault(path, `meta.api 1 in ${imported.file}`, factory.meta?.api)] };
  }
  const wrong = notASchema(factory.options);
  if (wrong !== undefined || factory.options === undefined) {
    return { faults: [wordFault(path, `options in ${imported.file} to be a zod 4 schema`, wrong ?? "nothing")] };
  }
  try {
    const parsed = parseWith(factory.options, entry.options ?? {}, entry.optionsPath);
    if (parsed.faults !== undefined) return parsed;
    return { runtime: { factory: factory as RuntimeFactory, options: parsed.value, specifier } };
  } catch (error) {
    return {
      faults: [wordFault(path, "options that the runtime's schema can check", `the error: ${errorText(error)}`)],
    };
  }
}
