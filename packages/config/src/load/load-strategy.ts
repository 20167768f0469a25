import type { StrategyEntry, StrategyTable } from "@hooklet/core";
import { nameStrategy, notASchema, schemaOf } from "@hooklet/core/internal";
import { nearest } from "@hooklet/manifest";
import { errorText } from "@hooklet/utils";
import type { Path, ValueFault } from "../faults/faults.js";
import { valueFault, wordFault } from "../faults/faults.js";
import { parseWith } from "../faults/schema-faults.js";
import { boundedStrategy, methodsOf } from "./bounded-strategy.js";

/** What the rc file says for one strategy point: nothing, a name, or `{use, options}`. */
export interface StrategyRequest {
  readonly table: StrategyTable<unknown>;
  readonly value: unknown;
  /** Where the value stands. */
  readonly path: Path;
}

/** Imports a strategy file or package that the rc file names. */
export type ImportStrategy = (
  specifier: string,
  path: Path,
) => Promise<{ readonly value: unknown } | { readonly fault: ValueFault } | undefined>;

export type ResolvedStrategy =
  | { readonly strategy: unknown; readonly faults?: undefined }
  | { readonly faults: readonly ValueFault[] };

/** The strategy of the rc file, created; or the fault of the request. Never throws. */
export async function resolveStrategy(request: StrategyRequest, load: ImportStrategy): Promise<ResolvedStrategy> {
  const { table, value, path } = request;
  const asked = readRequest(value ?? Object.keys(table)[0], path);
  if ("faults" in asked) return asked;
  const resolved = await resolveAsked(asked, table, path, load);
  if (resolved.faults !== undefined) return resolved;
  const { strategy } = resolved;
  if ((typeof strategy === "object" && strategy !== null) || typeof strategy === "function") {
    nameStrategy(strategy, asked.use);
  }
  return resolved;
}

async function resolveAsked(
  asked: Asked,
  table: StrategyTable<unknown>,
  path: Path,
  load: ImportStrategy,
): Promise<ResolvedStrategy> {
  const names = Object.keys(table);

  const usePath = asked.written === "object" ? [...path, "use"] : path;
  const optionsPath = [...path, "options"];
  const builtIn = Object.hasOwn(table, asked.use) ? table[asked.use] : undefined;
  if (builtIn !== undefined) return make(builtIn, asked.options, usePath, optionsPath);

  const loaded = asked.written === "object" ? await load(asked.use, usePath) : undefined;
  if (loaded === undefined) {
    const also = asked.written === "object" ? ", or a file or package that is there" : ", or {use: FILE or PACKAGE}";
    const expected = `a known strategy (${names.join(", ")})${also}`;
    return { faults: [valueFault(usePath, expected, asked.use, nearest(asked.use, names))] };
  }
  if ("fault" in loaded) return { faults: [loaded.fault] };
  return custom(loaded.value, asked.options, table, usePath, optionsPath);
}

type Asked = { readonly use: string; readonly options: unknown; readonly written: "name" | "object" };

function readRequest(value: unknown, path: Path): Asked | { readonly faults: readonly ValueFault[] } {
  if (typeof value === "string") return { use: value, options: {}, written: "name" };
  const expected = "the name of a strategy, or {use: NAME, options: {...}}";
  if (typeof value !== "object" || value === null || !("use" in value) || typeof value.use !== "string") {
    return { faults: [valueFault(path, expected, value)] };
  }
  const extra = Object.keys(value).filter((key) => key !== "use" && key !== "options");
  if (extra.length > 0) {
    const known = ["use", "options"];
    return {
      faults: extra.map((key) =>
        wordFault([...path, key], "a known option (use, options)", `unknown option "${key}"`, nearest(key, known)),
      ),
    };
  }
  const options = "options" in value ? value.options : {};
  return { use: value.use, options: options ?? {}, written: "object" };
}

/** A strategy module exports the strategy itself, or a factory like those of the tables. */
function custom(
  exported: unknown,
  options: unknown,
  table: StrategyTable<unknown>,
  usePath: Path,
  optionsPath: Path,
): ResolvedStrategy {
  const isFactory = typeof exported === "object" && exported !== null && "create" in exported;
  if (!isFactory && Object.keys(options as object).length > 0) {
    return { faults: [valueFault(optionsPath, "no options: the module exports no create(options)", options)] };
  }
  const made: ResolvedStrategy = isFactory
    ? make(exported as StrategyEntry<unknown>, options, usePath, optionsPath)
    : { strategy: exported };
  if (made.faults !== undefined) return made;
  const shape = commonShape(table);
  if (shape !== undefined && !fits(shape, made.strategy)) {
    const expected = `a default export that is (or creates) ${shapeText(shape)}`;
    return { faults: [wordFault(usePath, expected, shapeText(shapeOf(made.strategy)))] };
  }
  return { strategy: boundedStrategy(made.strategy) };
}

function make(entry: StrategyEntry<unknown>, options: unknown, usePath: Path, optionsPath: Path): ResolvedStrategy {
  try {
    if (entry.options === undefined) return { strategy: entry.create(options) };
    const schema = schemaOf<unknown>(entry.options);
    const wrong = notASchema(schema);
    if (wrong !== undefined)
      return { faults: [wordFault(usePath, "options of the strategy as a zod 4 schema", wrong)] };
    const parsed = parseWith(schema, options, optionsPath);
    return parsed.faults === undefined ? { strategy: entry.create(parsed.value) } : parsed;
  } catch (error) {
    return { faults: [wordFault(usePath, "a strategy that can be created", `the error: ${errorText(error)}`)] };
  }
}

/** What a strategy can be called by: itself, or these methods. */
type Shape = "function" | readonly string[];

/** What all built-in strategies that need no options have in common; others must have it as well. */
function commonShape(table: StrategyTable<unknown>): Shape | undefined {
  const shapes = Object.values(table)
    .map((entry) => make(entry, {}, [], []))
    .map((made) => (made.faults === undefined ? shapeOf(made.strategy) : undefined))
    .filter((shape) => shape !== undefined);
  return shapes.reduce<Shape | undefined>((common, shape) => {
    if (common === undefined || typeof common === "string" || typeof shape === "string") return common ?? shape;
    return common.filter((method) => shape.includes(method));
  }, undefined);
}

function shapeOf(strategy: unknown): Shape | undefined {
  if (typeof strategy === "function") return "function";
  return typeof strategy === "object" && strategy !== null ? methodsOf(strategy) : undefined;
}

function fits(expected: Shape, strategy: unknown): boolean {
  if (expected === "function") return typeof strategy === "function";
  if (typeof strategy !== "object" || strategy === null) return false;
  const methods = methodsOf(strategy);
  return expected.every((key) => methods.includes(key));
}

function shapeText(shape: Shape | undefined): string {
  if (shape === "function") return "a function";
  if (shape === undefined) return "neither a function nor an object";
  return shape.length === 0
    ? "an object without methods"
    : `an object with ${shape.map((key) => `${key}()`).join(", ")}`;
}
