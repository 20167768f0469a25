import type { z } from "zod";
import { errorText } from "../errors.js";
import { type Path, type ValueFault, valueFault, wordFault } from "../faults/faults.js";
import { objectShape, type Parsed, parseWith } from "../faults/schema-faults.js";
import type { NodePlugin } from "../plugin/contract.js";
import { type Importer, importFile } from "./import-file.js";
import { type ImportStrategy, resolveStrategy } from "./strategy.js";

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
      /** What `start` gets. */
      readonly options: unknown;
      /** The same with strategies as they are written, for people. */
      readonly written: Readonly<Record<string, unknown>>;
      readonly faults?: undefined;
    }
  | { readonly faults: readonly ValueFault[] };

/** The plugin's options with strategies made, or all that is wrong with them. Never throws. */
export async function parseOptions(request: OptionsRequest, importer: Importer): Promise<ParsedOptions> {
  const { plugin, schema, path } = request;
  const raw = request.raw ?? {};
  if (typeof raw !== "object" || Array.isArray(raw)) return { faults: [valueFault(path, "options as an object", raw)] };
  const shape = objectShape(schema);
  const points = Object.entries(plugin.strategies ?? {});
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
    // Any strategy will do for a schema that names the point: it has been checked already.
    if (shape !== undefined && Object.hasOwn(shape, point)) given[point] = made.strategy;
  }

  const pointNames = points.map(([point]) => point);
  const parsed = parseSafely(schema, given, path, pointNames);
  if (parsed.faults !== undefined) {
    const others = parsed.faults.filter((fault) => !pointNames.includes(String(fault.path[path.length])));
    return { faults: [...faults, ...others] };
  }
  if (faults.length > 0) return { faults };
  const options = { ...(parsed.value as object), ...strategies };
  return { options, written: { ...(parsed.value as object), ...written } };
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
