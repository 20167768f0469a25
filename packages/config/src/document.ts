/** The rc files and the command line as one document, and what it names to be loaded: plugins, sources, the runtime. Pure. */

import { dirname, resolve } from "node:path";
import type { SourcePlugins } from "@hooklet/core/host";
import { entrySchema, pluginsSchema, rcSchema, runtimeSchema } from "@hooklet/core/internal";
import { isRecord, nearest } from "@hooklet/manifest";
import { type ConfigFault, type Path, pathText, type ValueFault } from "./faults/faults.js";
import { parseWith } from "./faults/schema-faults.js";
import { type Held, type Layer, mergeHeld, type Owner, ownerOf, placeText } from "./layers.js";
import { candidates, isPath, shortName } from "./load/candidates.js";
import type { PluginEntry, RuntimeEntry } from "./load/load-plugins.js";

/** One entry of one layer's `plugins`. */
interface Part {
  readonly layer: Layer;
  readonly index: number;
  readonly options: Readonly<Record<string, unknown>> | undefined;
}

interface MergedEntry {
  readonly specifier: string;
  /** The entries that name it, in the order of the layers; empty for a default plugin that is not named. */
  readonly parts: readonly Part[];
  readonly isDefault: boolean;
}

interface MergedPlugins {
  readonly entries: readonly MergedEntry[];
  /** `layer` and `index` of the entry that switched it off. */
  readonly switchedOff: readonly { readonly specifier: string; readonly layer: Layer; readonly index: number }[];
  readonly faults: readonly ConfigFault[];
}

/** The same text for what means the same plugin: its package, or its file. */
function keyOf(specifier: string, from: string): string {
  return isPath(specifier) ? resolve(dirname(from), specifier) : (candidates("plugin", specifier)[0] ?? specifier);
}

function mergePlugins(layers: readonly Layer[], defaults: readonly string[]): MergedPlugins {
  const running = new Map<string, MergedEntry>(
    defaults.map((specifier) => [keyOf(specifier, "/"), { specifier, parts: [], isDefault: true }]),
  );
  const switchedOff = new Map<string, MergedPlugins["switchedOff"][number]>();
  const faults: ConfigFault[] = [];
  for (const layer of layers) {
    const { plugins } = layer.raw;
    if (plugins === undefined) continue;
    const checked = parseWith(pluginsSchema, plugins, ["plugins"]);
    faults.push(
      ...(checked.faults ?? []).map((one) => ({ ...one, ...layer.place(one.path), path: pathText(one.path) })),
    );
    if (!Array.isArray(plugins)) continue;
    const first = new Map<string, number>();
    for (const [index, raw] of plugins.entries()) {
      const parsed = entrySchema.safeParse(raw);
      if (!parsed.success) continue;
      const [specifier, options] = typeof parsed.data === "string" ? [parsed.data] : parsed.data;
      const key = keyOf(specifier, layer.file);
      const fault = (expected: string, found: string, near: readonly string[] = []): void => {
        const path = ["plugins", index];
        const place = { ...layer.place(path), path: pathText(path) };
        faults.push({ ...place, expected, found, ...(near.length > 0 && { nearest: near }) });
      };
      const earlier = first.get(key);
      if (earlier !== undefined) {
        fault("each plugin once in a file", `"${specifier}", which plugins[${earlier}] is as well`);
        continue;
      }
      first.set(key, index);
      const entry = running.get(key);
      if (options !== false) {
        const part = { layer, index, options };
        running.set(key, entry === undefined ? added(specifier, part) : { ...entry, parts: [...entry.parts, part] });
        switchedOff.delete(key);
      } else if (entry === undefined) {
        const names = [...running.values()].map((one) => one.specifier);
        const known = names.flatMap((name) => [name, shortName("plugin", name)]);
        fault(`a plugin that is on (${names.join(", ") || "none is"})`, `"${specifier}"`, nearest(specifier, known));
      } else {
        running.delete(key);
        switchedOff.set(key, { specifier: entry.specifier, layer, index });
      }
    }
  }
  return { entries: [...running.values()], switchedOff: [...switchedOff.values()], faults };
}

function added(specifier: string, part: Part): MergedEntry {
  return { specifier, parts: [part], isDefault: false };
}

/** The place of an option in the layer's document; options are one level deeper there than in messages. */
function entryPath(layer: Layer, index: number, option: Path): Path {
  const { plugins } = layer.raw;
  const isPair = Array.isArray(plugins) && Array.isArray(plugins[index]);
  return option.length > 0 && isPair ? ["plugins", index, 1, ...option] : ["plugins", index];
}

/** Options of all entries for it, merged; undefined without any. */
export function entryOptions(entry: MergedEntry): unknown {
  return mergeHeld(held(entry));
}

/** The part that set an option, or that should have; without an option, the part that named the plugin. */
function entryOwner(entry: MergedEntry, path: Path): Owner<Part> | undefined {
  const [named] = entry.parts;
  if (path.length === 0) return named === undefined ? undefined : { layer: named, isSet: true };
  const owner = ownerOf(held(entry), path);
  const missed = entry.parts.at(-1);
  return owner ?? (missed === undefined ? undefined : { layer: missed, isSet: false });
}

function held(entry: MergedEntry): readonly Held<Part>[] {
  return entry.parts.flatMap((part) => (part.options === undefined ? [] : [{ layer: part, value: part.options }]));
}

/** The plugins that are on, in the order of their start. */
export function pluginEntries({ plugins, written }: Merged): readonly PluginEntry[] {
  return plugins.entries.map((entry, index) => {
    const path = ["plugins", index];
    const named = entry.isDefault ? undefined : written(path);
    const origin = named === undefined ? "default" : placeText(named.layer.place(named.document));
    return { specifier: entry.specifier, options: entryOptions(entry), path, origin };
  });
}

/** The plugins behind keys of `sources`. */
export function sourceEntries(
  { values, written }: Merged,
  sourcePlugins: SourcePlugins,
  near: (path: Path, file: string) => string,
): readonly PluginEntry[] {
  return Object.entries(sourcePlugins).flatMap(([key, { specifier, files }]) => {
    const options = isRecord(values.sources) ? values.sources[key] : undefined;
    if (!isRecord(options)) return [];
    const path = ["sources", key];
    const named = written(path);
    const found = files.flatMap((name) => {
      const file = options[name];
      return typeof file === "string" ? [[name, near([...path, name], file)]] : [];
    });
    const origin = named === undefined ? "default" : placeText(named.layer.place(named.document));
    return [{ specifier, options: { ...options, ...Object.fromEntries(found) }, path, origin }];
  });
}

export function runtimeEntry(values: Readonly<Record<string, unknown>>): RuntimeEntry {
  const parsed = runtimeSchema.safeParse(values.runtime);
  const runtime = parsed.success ? parsed.data : rcSchema.parse({}).runtime;
  if (typeof runtime === "string") {
    return { specifier: runtime, options: undefined, path: ["runtime"], optionsPath: ["runtime", "options"] };
  }
  return {
    specifier: runtime.use,
    options: runtime.options,
    path: ["runtime", "use"],
    optionsPath: ["runtime", "options"],
  };
}

export interface Merged {
  /** Unchecked. Without `extends`, and without `plugins`, which have been checked layer by layer. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly plugins: MergedPlugins;
  /** Where the value at a path was written; undefined when no layer sets it. `["plugins", n]` counts merged entries. */
  written(path: Path): Written | undefined;
  /** A fault with the place of its value, or of where it is missed. */
  placed(fault: ValueFault): ConfigFault;
}

interface Written {
  readonly layer: Layer;
  /** The path in the layer, as in messages: `plugins[0].order`. */
  readonly path: Path;
  /** In the layer's document: `plugins[0][1].order`. */
  readonly document: Path;
}

/** `layers`: the weakest first. `defaults`: plugins that run unless a layer switches them off. */
export function mergeLayers(layers: readonly Layer[], defaults: readonly string[]): Merged {
  const roots = layers.map((layer): Held => ({ layer, value: layer.raw }));
  const { extends: _, plugins: __, runtime: ___, ...rest } = (mergeHeld(roots) ?? {}) as Record<string, unknown>;
  const plugins = mergePlugins(layers, defaults);
  const runtime = runtimeHolders(layers);
  const find = (path: Path): (Written & { readonly isSet: boolean }) | undefined => {
    const [first, index, ...inner] = path;
    if (first === "plugins") {
      const entry = plugins.entries[Number(index)];
      const owner = entry === undefined ? undefined : entryOwner(entry, inner);
      if (owner === undefined) return undefined;
      const { layer, index: own } = owner.layer;
      return { layer, path: ["plugins", own, ...inner], document: entryPath(layer, own, inner), isSet: owner.isSet };
    }
    const owner = first === "runtime" ? runtimeOwner(runtime, path) : ownerOf(roots, path);
    if (owner === undefined) return undefined;
    const isName = first === "runtime" && index === "use" && !isRecord(owner.layer.raw.runtime);
    const own = isName ? ["runtime"] : path;
    return { layer: owner.layer, path: own, document: own, isSet: owner.isSet };
  };
  /** A default plugin that is not named has no place in a list. */
  const byName = (path: Path): Path => {
    const [first, index, ...inner] = path;
    const entry = first === "plugins" ? plugins.entries[Number(index)] : undefined;
    return entry === undefined ? path : ["plugins", entry.specifier, ...inner];
  };
  return {
    values: { ...rest, ...(runtime.length > 0 && { runtime: mergedRuntime(runtime) }) },
    plugins,
    written: (path) => {
      const found = find(path);
      return found?.isSet === true ? found : undefined;
    },
    placed: ({ path, ...fault }) => {
      const found = find(path);
      if (found === undefined) return { ...fault, file: "default", path: pathText(byName(path)) };
      return { ...fault, ...found.layer.place(found.document), path: pathText(found.path) };
    },
  };
}

/** The layers that speak of the runtime that is used: options for another one are passed over. */
function runtimeHolders(layers: readonly Layer[]): readonly Held[] {
  const all = layers.flatMap((layer) =>
    layer.raw.runtime === undefined ? [] : [{ layer, value: layer.raw.runtime } satisfies Held],
  );
  const used = runtimeName(all.at(-1)?.value);
  const other = all.findLastIndex(({ value }) => used === undefined || runtimeName(value) !== used);
  return used === undefined ? all.slice(-1) : all.slice(other + 1);
}

function runtimeName(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return isRecord(value) && typeof value.use === "string" ? value.use : undefined;
}

function mergedRuntime(holders: readonly Held[]): unknown {
  const objects = holders.filter(({ value }) => isRecord(value));
  return objects.length === 0 ? holders.at(-1)?.value : mergeHeld(objects);
}

function runtimeOwner(holders: readonly Held[], path: Path): Owner<Layer> | undefined {
  const last = holders.at(-1);
  if (last === undefined) return undefined;
  if (path[1] === undefined || path[1] === "use") return { layer: last.layer, isSet: true };
  const objects = holders.filter(({ value }) => isRecord(value));
  return ownerOf(objects, path.slice(1)) ?? { layer: last.layer, isSet: false };
}
