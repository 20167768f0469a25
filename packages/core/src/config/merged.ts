/** The rc files and the command line as one document, in which every path knows where it was written. Pure. */
import { isRecord } from "@hooklet/manifest";
import { type ConfigFault, type Path, pathText, type ValueFault } from "../faults/faults.js";
import { type Held, type Layer, mergeHeld, type Owner, ownerOf } from "./layers.js";
import { entryOwner, entryPath, type MergedPlugins, mergePlugins } from "./plugin-entries.js";

export interface Merged {
  /** Unchecked. Without `extends`, and without `plugins`, which have been checked layer by layer. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly plugins: MergedPlugins;
  /** Where the value at a path was written; undefined when no layer sets it. `["plugins", n]` counts merged entries. */
  written(path: Path): Written | undefined;
  /** A fault with the place of its value, or of where it is missed. */
  placed(fault: ValueFault): ConfigFault;
}

export interface Written {
  readonly layer: Layer;
  /** In the layer, as people name it: `plugins[0].order`. */
  readonly path: Path;
  /** In the layer's document: `plugins[0][1].order`. */
  readonly document: Path;
}

/** `layers`: the weakest first. `defaults`: plugins that run unless a layer takes them away. */
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
  /** One of hooklet's own that nobody names has no place in a list. */
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
