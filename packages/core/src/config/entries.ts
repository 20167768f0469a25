/** What the merged layers name to be loaded: plugins, those behind `sources`, the runtime. */
import { isRecord } from "@hooklet/manifest";
import type { Path } from "../faults/faults.js";
import type { PluginEntry } from "../load/load-plugins.js";
import type { RuntimeEntry } from "../load/load-runtime.js";
import { placeText } from "./effective.js";
import { runtimeSchema } from "./entry-schema.js";
import type { Merged } from "./merged.js";
import { entryOptions } from "./plugin-entries.js";
import { rcSchema } from "./schema.js";
import type { SourcePlugins } from "./sources-schema.js";

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
