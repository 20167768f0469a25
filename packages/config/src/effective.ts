import type { AgentConfig, SourcePlugins } from "@hooklet/core/host";
import {
  isPlainRecord,
  type LoadedPlugin,
  type LoadedRuntime,
  noOptions,
  type SwitchedOff,
  schemaOf,
} from "@hooklet/core/internal";
import { formatDuration, withoutPasswords } from "@hooklet/utils";
import type { Merged } from "./document.js";
import { type Path, pathText } from "./faults/faults.js";
import { isDuration, type Schema, schemaAt } from "./faults/schema-faults.js";
import { placeText } from "./layers.js";

export type Setting = AgentConfig["effective"][number];

export interface EffectiveInput {
  /** Everything but runtime and plugins, as the agent gets it. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly runtime: LoadedRuntime;
  readonly plugins: readonly LoadedPlugin[];
  readonly switchedOff: readonly SwitchedOff[];
  readonly sourcePlugins: SourcePlugins;
  readonly document: Merged;
}

/** Shown instead of what may be a secret, as the kubelet does. */
const MASKED = "<masked>";

/**
 * Every setting with its value and its origin: a flag, `FILE:LINE`, or `default`. Plugins are listed by name, for they
 * may be in several files: `plugins["@hooklet/plugin-x"].order`; one that was switched off is `false`.
 */
export function effectiveSettings(input: EffectiveInput): readonly Setting[] {
  const { settings, document, runtime, plugins, switchedOff, sourcePlugins } = input;
  const entry = (path: Path, value: unknown): Setting => ({
    path: pathText(path),
    value: shown(path, value),
    origin: originOf(path, document),
  });
  const own = flatten(settings, []).map(([path, value]) => entry(path, value));
  const options = Object.entries(runtime.options ?? {}).flatMap(([key, value]) =>
    flatten(value, ["runtime", "options", key]).map(([path, leaf]) => {
      const schema = schemaAt(runtime.factory.options, path.slice(2));
      return entry(path, asWritten(leaf, schema));
    }),
  );
  const use = typeof document.values.runtime === "object" ? ["runtime", "use"] : ["runtime"];
  return [
    ...[...own, entry(use, runtime.specifier), ...options].filter(({ value }) => value !== undefined),
    ...plugins.flatMap((plugin) => pluginSettings(plugin, document, sourcePlugins)),
    ...switchedOff.map(({ specifier, origin }) => ({ path: pathText(["plugins", specifier]), value: false, origin })),
  ];
}

function pluginSettings(
  { plugin, specifier, origin, written = {} }: LoadedPlugin,
  document: Merged,
  sourcePlugins: SourcePlugins,
): readonly Setting[] {
  const index = document.plugins.entries.findIndex((entry) => entry.specifier === specifier);
  // A source's plugin has its options where the source is named.
  const source = Object.keys(sourcePlugins).find((key) => sourcePlugins[key]?.specifier === specifier);
  const place: Path = index < 0 && source !== undefined ? ["sources", source] : ["plugins", index];
  const name = ["plugins", plugin.meta.name];
  const options = flatten(written, []).filter(([, value]) => value !== undefined);
  const schema = schemaOf(plugin.options ?? noOptions);
  return [
    { path: pathText(name), value: specifier, origin },
    ...options.map(([path, value]) => ({
      path: pathText([...name, ...path]),
      value: asWritten(value, schemaAt(schema, path)),
      origin: originOf([...place, ...path], document),
    })),
  ];
}

/** As the rc file would have it. */
function shown(path: Path, value: unknown): unknown {
  if (path[0] !== "sources") return value;
  if (path[1] === "manifestUrlHeader" && path.length > 2) return MASKED;
  if (path[1] === "manifestUrl" && typeof value === "string") return withoutPasswords(value);
  return typeof value === "number" ? formatDuration(value) : value;
}

/** A default stands in seconds where a duration is meant. */
function asWritten(value: unknown, schema: Schema | undefined): unknown {
  return typeof value === "number" && isDuration(schema) ? formatDuration(value) : value;
}

function originOf(path: Path, { written }: Merged): string {
  const found = written(path);
  return found === undefined ? "default" : placeText(found.layer.place(found.document));
}

/** Leaves with their paths. Lists and empty objects are leaves. */
function flatten(value: unknown, path: Path): readonly (readonly [Path, unknown])[] {
  const isBranch = isPlainRecord(value) && Object.keys(value).length > 0;
  if (!isBranch) return path.length === 0 ? [] : [[path, value]];
  return Object.entries(value).flatMap(([key, item]) => flatten(item, [...path, key]));
}
