import type { NodePlugin, StrategyTable } from "@hooklet/core";
import { noOptions, notASchema, PLUGIN_API, schemaOf } from "@hooklet/core/internal";
import { errorText } from "@hooklet/utils";
import type { z } from "zod";
import { type Path, type ValueFault, valueFault, wordFault } from "../faults/faults.js";
import { type Parsed, parseWith } from "../faults/schema-faults.js";
import { type Importer, importFile } from "./import-file.js";
import { type ImportStrategy, resolveStrategy } from "./load-strategy.js";

const NAME = /^@?[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/;

export type CheckedPlugin =
  | { readonly plugin: NodePlugin; readonly schema: z.ZodType }
  | { readonly faults: readonly ValueFault[] };

/** Whether what a module exports is a plugin. `path` is the place of its entry. Throws what its getters throw. */
export function checkPlugin(exported: unknown, file: string, path: Path): CheckedPlugin {
  if (typeof exported !== "object" || exported === null) {
    return { faults: [valueFault(path, `a plugin as the default export of ${file}`, exported)] };
  }
  const plugin = exported as Partial<NodePlugin>;
  const { meta } = plugin;
  if (typeof meta !== "object" || meta === null) {
    return { faults: [valueFault(path, `meta {name, api: ${PLUGIN_API}} of the plugin in ${file}`, meta)] };
  }
  const faults: ValueFault[] = [];
  const fault = (what: string, found: unknown): void => {
    faults.push(valueFault(path, `${what} in ${file}`, found));
  };
  if (meta.api !== PLUGIN_API) fault(`meta.api ${PLUGIN_API}, the plugin contract of this hooklet,`, meta.api);
  if (typeof meta.name !== "string" || !NAME.test(meta.name)) {
    fault("meta.name of letters, digits, - _ . / and @, at most 100,", meta.name);
  }
  const { requires } = meta;
  if (requires !== undefined && !(Array.isArray(requires) && requires.every((name) => typeof name === "string"))) {
    fault("meta.requires as a list of names", requires);
  }
  if (typeof plugin.start !== "function") fault("a function start(ctx, options)", plugin.start);
  const schema = readSchema(plugin, file, path);
  if ("fault" in schema) faults.push(schema.fault);
  else if (faults.length === 0) return { plugin: plugin as NodePlugin, schema: schema.schema };
  return { faults };
}

function readSchema(
  plugin: Partial<NodePlugin>,
  file: string,
  path: Path,
): { schema: z.ZodType } | { fault: ValueFault } {
  const expected = `options in ${file} to be a zod 4 schema, or a function (z) => schema`;
  try {
    const schema = schemaOf(plugin.options ?? noOptions);
    const wrong = notASchema(schema);
    return wrong === undefined ? { schema } : { fault: wordFault(path, expected, wrong) };
  } catch (error) {
    return { fault: wordFault(path, expected, `the error: ${errorText(error)}`) };
  }
}

export interface OptionsRequest {
  readonly plugin: NodePlugin;
  readonly schema: z.ZodType;
  /** As the rc file has them; undefined when it has none. */
  readonly raw: unknown;
  /** The place of the plugin's entry. */
  readonly path: Path;
}

export type ParsedOptions =
  | {
      readonly options: unknown;
      /** Strategies of the rc file, by strategy point. */
      readonly strategies: Readonly<Record<string, unknown>>;
      /** The options with strategies as they are written, for messages. */
      readonly written: Readonly<Record<string, unknown>>;
      readonly faults?: undefined;
    }
  | { readonly faults: readonly ValueFault[] };

/** The plugin's options and strategies, or all that is wrong with them. Never throws. */
export async function parseOptions(request: OptionsRequest, importer: Importer): Promise<ParsedOptions> {
  const { plugin, schema, path } = request;
  const raw = request.raw ?? {};
  if (typeof raw !== "object" || Array.isArray(raw)) return { faults: [valueFault(path, "options as an object", raw)] };
  const points = Object.entries<StrategyTable<unknown>>(plugin.strategies ?? {});
  const faults: ValueFault[] = [];
  const strategies: Record<string, unknown> = {};
  const written: Record<string, unknown> = {};
  const given: Record<string, unknown> = { ...raw };

  for (const [point, table] of points) {
    const value = given[point];
    delete given[point];
    const made = await resolveStrategy({ table, value, path: [...path, point] }, strategyImporter(importer));
    if (made.faults !== undefined) {
      faults.push(...made.faults);
      continue;
    }
    strategies[point] = made.strategy;
    written[point] = value ?? Object.keys(table)[0];
  }

  const pointNames = points.map(([point]) => point);
  const parsed = parseSafely(schema, given, path, pointNames);
  if (parsed.faults !== undefined) {
    const others = parsed.faults.filter((fault) => !pointNames.includes(String(fault.path[path.length])));
    return { faults: [...faults, ...others] };
  }
  if (faults.length > 0) return { faults };
  return { options: parsed.value, strategies, written: { ...(parsed.value as object), ...written } };
}

function parseSafely(schema: z.ZodType, value: unknown, path: Path, points: readonly string[]): Parsed<unknown> {
  try {
    return parseWith(schema, value, path, points);
  } catch (error) {
    return {
      faults: [wordFault(path, "options that the plugin's schema can check", `the error: ${errorText(error)}`)],
    };
  }
}

function strategyImporter(importer: Importer): ImportStrategy {
  return async (specifier, path) => {
    const request = { what: "strategy", specifier, names: [specifier], path, known: [] };
    const imported = await importFile(request, importer);
    if (imported?.fault !== undefined) return { fault: imported.fault };
    return imported;
  };
}
