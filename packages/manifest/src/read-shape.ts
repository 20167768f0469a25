/** Checks a plain value against a shape and gives back a clean copy, fields in the order of the shape. */
import { errorText } from "./error-text.js";
import type { FieldFaults } from "./field-faults.js";
import { isRecord } from "./is-record.js";
import type { FieldPath } from "./path.js";
import { formatQuantity, parseQuantity } from "./resources/quantity.js";
import type { Shape } from "./shape.js";

/** Values of one pod, aliases expanded. */
const MAX_VALUES = 2_000_000;

/**
 * The value without nulls, refused and dropped fields. What does not fit is a fault and left out; nothing is
 * ignored silently. `hideValues`: faults name places and not their values.
 */
export function readShape(
  value: unknown,
  shape: Shape,
  path: FieldPath,
  faults: FieldFaults,
  { hideValues = false } = {},
): unknown {
  return new ShapeReader(faults, hideValues).read(value, shape, path);
}

class ShapeReader {
  #left = MAX_VALUES;

  constructor(
    private readonly faults: FieldFaults,
    private readonly hideValues: boolean,
  ) {}

  read(value: unknown, shape: Shape, path: FieldPath): unknown {
    if (value === null || value === undefined || this.#left < 0) return undefined;
    if (--this.#left < 0) return this.faults.forbidden(path, `more than ${MAX_VALUES} values in one pod`);
    switch (shape.is) {
      case "text":
        return this.#text(value, path);
      case "flag":
        return typeof value === "boolean" ? value : this.#wrong(path, value, "must be true or false");
      case "integer":
        return this.#integer(value, shape, path);
      case "quantity":
        return this.#quantity(value, path);
      case "portRef":
        if (typeof value === "number") return this.#integer(value, { min: -(2 ** 31), max: 2 ** 31 - 1 }, path);
        return typeof value === "string"
          ? this.#text(value, path)
          : this.#wrong(path, value, "must be a port or its name");
      case "list":
        return this.#list(value, shape.of, path);
      case "map":
        return this.#map(value, shape.of, path);
      case "object":
        return this.#object(value, shape.fields, path);
      case "refused":
        if (!isHarmless(value, shape.harmless)) this.faults.forbidden(path, shape.why);
        return undefined;
      case "dropped":
        return undefined;
    }
  }

  #text(value: unknown, path: FieldPath): string | undefined {
    if (typeof value !== "string") {
      const hint = typeof value === "object" ? "" : " (put it in quotes)";
      return this.#wrong(path, value, `must be a string${hint}`);
    }
    return value.includes("\0") ? this.#wrong(path, value, "must not contain a NUL character") : value;
  }

  #integer(value: unknown, range: { min: number; max: number }, path: FieldPath): number | undefined {
    if (typeof value !== "number" || !Number.isFinite(value)) return this.#wrong(path, value, "must be an integer");
    if (!Number.isInteger(value)) return this.#wrong(path, value, "must be an integer");
    if (value < range.min || value > range.max) {
      return this.#wrong(path, value, `must be between ${range.min} and ${range.max}, inclusive`);
    }
    // No negative zero.
    return value + 0;
  }

  #quantity(value: unknown, path: FieldPath): string | undefined {
    if (typeof value !== "string" && typeof value !== "number") {
      return this.#wrong(path, value, "must be a quantity, for example 500m or 64Mi");
    }
    try {
      return formatQuantity(parseQuantity(String(value).trim()));
    } catch (error) {
      return this.#wrong(path, value, errorText(error));
    }
  }

  #list(value: unknown, of: Shape, path: FieldPath): unknown[] | undefined {
    if (!Array.isArray(value)) return this.#wrong(path, value, "must be a list");
    return value.map((item: unknown, i) => {
      const at = path.index(i);
      const read = this.read(item, of, at);
      if (item === null || item === undefined) this.faults.required(at);
      return read ?? hollow(of);
    });
  }

  #map(value: unknown, of: Shape, path: FieldPath): Record<string, unknown> | undefined {
    if (!isRecord(value)) return this.#wrong(path, value, "must be a map");
    const read = Object.keys(value)
      .sort()
      .map((key) => [key, this.read(value[key], of, path.key(key))] as const);
    // fromEntries defines keys: `__proto__` stays a key like any other.
    return Object.fromEntries(read.filter(([, item]) => item !== undefined));
  }

  #object(
    value: unknown,
    fields: Readonly<Record<string, Shape>>,
    path: FieldPath,
  ): Record<string, unknown> | undefined {
    if (!isRecord(value)) return this.#wrong(path, value, "must be an object");
    const copy: Record<string, unknown> = {};
    for (const [name, shape] of Object.entries(fields)) {
      if (!Object.hasOwn(value, name)) continue;
      const read = this.read(value[name], shape, path.child(name));
      if (read !== undefined) copy[name] = read;
    }
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(fields, name)) this.faults.unknownField(path.child(name), Object.keys(fields));
    }
    return copy;
  }

  #wrong(path: FieldPath, value: unknown, detail: string): undefined {
    this.faults.invalid(path, this.hideValues || typeof value === "object" ? "" : value, detail);
  }
}

/** Keeps the places of a list: what stands at [2] is checked as [2]. */
function hollow(shape: Shape): unknown {
  switch (shape.is) {
    case "object":
    case "map":
      return {};
    case "list":
      return [];
    case "integer":
      return 0;
    default:
      return "";
  }
}

function isHarmless(value: unknown, harmless: readonly unknown[]): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return harmless.includes(value);
}
