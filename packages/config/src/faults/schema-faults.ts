/** zod's issues as faults: one per wrong value or unknown key. Pure. */

import { isRecord, nearest } from "@hooklet/manifest";
import { z } from "zod";
import { type Path, pathText, type ValueFault, valueFault, wordFault } from "./faults.js";

/** Zod 4's own parts of a schema that are read here. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly catchall?: Schema;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly element?: Schema;
  readonly keyType?: Schema;
  readonly valueType?: Schema;
  readonly entries?: Readonly<Record<string, string>>;
}
export type Schema = z.core.$ZodType;

const definition = (schema: Schema): Definition => schema._zod.def as unknown as Definition;

/** The object schema behind optional, default, pipe and the like. */
export function objectShape(schema: Schema): Readonly<Record<string, Schema>> | undefined {
  const def = definition(schema);
  if (def.type === "object") return def.shape;
  const inner = def.innerType ?? def.in;
  return inner === undefined ? undefined : objectShape(inner);
}

/** Of the option at this place; undefined: it is in a list, or not known. */
export function schemaAt(schema: Schema, [step, ...rest]: Path): Schema | undefined {
  if (step === undefined) return schema;
  const next = objectShape(schema)?.[step];
  return next === undefined ? undefined : schemaAt(next, rest);
}

/** Made by core's `duration`. */
export function isDuration(schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  if (z.globalRegistry.get(schema)?.title === "duration") return true;
  const { innerType, in: written } = definition(schema);
  return isDuration(innerType ?? written);
}

export type Parsed<T> = { readonly value: T; readonly faults?: undefined } | { readonly faults: readonly ValueFault[] };

/**
 * Parses `value`; unknown top-level keys are faults whatever the schema says about them.
 * `path` is put before the path of each fault; `alsoKnown` are top-level keys that are read elsewhere.
 */
export function parseWith<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: Path = [],
  alsoKnown: readonly string[] = [],
): Parsed<T> {
  const unknown = unknownKeys(schema, value, path, alsoKnown);
  const reported = new Set(unknown.map((fault) => pathText(fault.path)));
  const parsed = schema.safeParse(value);
  const faults = parsed.success
    ? []
    : parsed.error.issues.flatMap((issue) => issueFaults(issue, { schema, value, path, reported }));
  const all = [...unknown, ...faults];
  if (parsed.success && all.length === 0) return { value: parsed.data };
  return { faults: all };
}

/** `top`: further known keys, at the top of the value only. */
function unknownKeys(schema: Schema, value: unknown, path: Path, top?: readonly string[]): readonly ValueFault[] {
  const def = definition(schema);
  const inner = def.innerType ?? def.in;
  if (inner !== undefined) return unknownKeys(inner, value, path, top);
  if (def.type === "array" && def.element !== undefined && Array.isArray(value)) {
    const { element } = def;
    return value.flatMap((item, index) => unknownKeys(element, item, [...path, index]));
  }
  if (!isRecord(value)) return [];
  if (def.type === "record" && def.valueType !== undefined) {
    const { valueType } = def;
    return Object.entries(value).flatMap(([key, item]) => unknownKeys(valueType, item, [...path, key]));
  }
  if (def.type !== "object" || def.shape === undefined) return [];
  const { shape } = def;
  const open = top === undefined && def.catchall !== undefined && definition(def.catchall).type !== "never";
  return Object.entries(value).flatMap(([key, item]) => {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (known !== undefined) return unknownKeys(known, item, [...path, key]);
    return open ? [] : [unknownKey([...path, key], [...Object.keys(shape), ...(top ?? [])])];
  });
}

function unknownKey(path: Path, known: readonly string[]): ValueFault {
  const key = String(path.at(-1));
  const near = nearest(key, known);
  // A list of twenty names would only hide the right one.
  const names = near.length > 0 ? "" : ` (${known.join(", ")})`;
  const expected = known.length === 0 ? "no options" : `a known option${names}`;
  return wordFault(path, expected, `unknown option ${JSON.stringify(key)}`, near);
}

type Issue = z.core.$ZodIssue;

interface Checked {
  readonly schema: Schema;
  readonly value: unknown;
  readonly path: Path;
  /** Places of unknown keys that have a fault already. */
  readonly reported: ReadonlySet<string>;
}

function issueFaults(issue: Issue, { schema, value, path: base, reported }: Checked): readonly ValueFault[] {
  const own = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  const path = [...base, ...own];
  if (issue.code === "unrecognized_keys") {
    return issue.keys
      .map((key) => [...path, key])
      .filter((keyPath) => !reported.has(pathText(keyPath)))
      .map((keyPath) => unknownKey(keyPath, recordKeys(schema, own)));
  }
  const found = own.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown>)?.[step], value);
  if (issue.code === "invalid_value" && typeof found === "string") {
    const known = issue.values.filter((value) => typeof value === "string");
    return [valueFault(path, expectedText(issue), found, nearest(found, known))];
  }
  if (issue.code === "invalid_key" || issue.code === "invalid_element") {
    return issue.issues.map((one) => valueFault(path, expectedText(one), path.at(-1)));
  }
  return [valueFault(path, expectedText(issue), found)];
}

/** Of a record whose keys are listed, as those of eviction signals are. */
function recordKeys(schema: Schema, path: Path): readonly string[] {
  const def = definition(schema);
  const inner = def.innerType ?? def.in;
  if (inner !== undefined) return recordKeys(inner, path);
  const [step, ...rest] = path;
  if (step === undefined) return Object.keys((def.keyType && definition(def.keyType).entries) ?? {});
  const next = def.shape?.[step] ?? def.element ?? def.valueType;
  return next === undefined ? [] : recordKeys(next, rest);
}

const typeWords: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
  tuple: "a list",
  null: "null",
};

/** How zod's own messages begin; others are the schema's, written as what is expected. */
const ZODS_OWN = /^(Invalid|Too big|Too small|Unrecognized)/;

function expectedText(issue: Issue): string {
  if (!ZODS_OWN.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return typeWords[issue.expected] ?? issue.expected;
    case "invalid_value":
      return issue.values.length === 1 ? JSON.stringify(issue.values[0]) : `one of ${issue.values.join(", ")}`;
    case "too_small":
      return `${issue.inclusive === false ? "above" : "at least"} ${issue.minimum}${unit(issue.origin)}`;
    case "too_big":
      return `${issue.inclusive === false ? "below" : "at most"} ${issue.maximum}${unit(issue.origin)}`;
    case "not_multiple_of":
      return `a multiple of ${issue.divisor}`;
    case "invalid_format":
      return `a text in the format ${issue.format}`;
    case "invalid_union":
      return unionText(issue);
    default:
      return "another value";
  }
}

function unit(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" || origin === "set" ? " entries" : "";
}

function unionText(issue: Extract<Issue, { code: "invalid_union" }>): string {
  const options = issue.errors.map((issues) => issues[0]).filter((one) => one !== undefined);
  return [...new Set(options.map(expectedText))].join(" or ") || "another value";
}
