/** Which plugins run: hooklet's own, then what each rc file adds, configures or takes away. Pure. */
import { dirname, resolve } from "node:path";
import { nearest } from "@hooklet/manifest";
import { type ConfigFault, type Path, pathText } from "../faults/faults.js";
import { parseWith } from "../faults/schema-faults.js";
import { candidates, isPath, shortName } from "../load/candidates.js";
import { entrySchema, pluginsSchema } from "./entry-schema.js";
import { type Held, type Layer, mergeHeld, type Owner, ownerOf } from "./layers.js";

/** One entry of one layer's `plugins`. */
interface Part {
  readonly layer: Layer;
  readonly index: number;
  readonly options: Readonly<Record<string, unknown>> | undefined;
}

export interface MergedEntry {
  readonly specifier: string;
  /** Who named it, in the order of the layers; empty for one of hooklet's own that nobody names. */
  readonly parts: readonly Part[];
  readonly isDefault: boolean;
}

export interface MergedPlugins {
  readonly entries: readonly MergedEntry[];
  /** `layer` and `index` of who took it away. */
  readonly switchedOff: readonly { readonly specifier: string; readonly layer: Layer; readonly index: number }[];
  readonly faults: readonly ConfigFault[];
}

/** The same text for what means the same plugin: its package, or its file. */
function keyOf(specifier: string, from: string): string {
  return isPath(specifier) ? resolve(dirname(from), specifier) : (candidates("plugin", specifier)[0] ?? specifier);
}

export function mergePlugins(layers: readonly Layer[], defaults: readonly string[]): MergedPlugins {
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

/** Where an option stands in the layer's document; options are one level deeper than people name them. */
export function entryPath(layer: Layer, index: number, option: Path): Path {
  const { plugins } = layer.raw;
  const isPair = Array.isArray(plugins) && Array.isArray(plugins[index]);
  return option.length > 0 && isPair ? ["plugins", index, 1, ...option] : ["plugins", index];
}

/** Options of all who configure it, merged; undefined when nobody gives any. */
export function entryOptions(entry: MergedEntry): unknown {
  return mergeHeld(held(entry));
}

/** Who set an option, or in whom it is missed; for no option the one who named the plugin. */
export function entryOwner(entry: MergedEntry, path: Path): Owner<Part> | undefined {
  const [named] = entry.parts;
  if (path.length === 0) return named === undefined ? undefined : { layer: named, isSet: true };
  const owner = ownerOf(held(entry), path);
  const missed = entry.parts.at(-1);
  return owner ?? (missed === undefined ? undefined : { layer: missed, isSet: false });
}

function held(entry: MergedEntry): readonly Held<Part>[] {
  return entry.parts.flatMap((part) => (part.options === undefined ? [] : [{ layer: part, value: part.options }]));
}
