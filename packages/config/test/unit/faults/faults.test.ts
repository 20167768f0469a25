import { killTimeout } from "@hooklet/utils";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import {
  ConfigFaultsError,
  faultText,
  isConfigFaultsError,
  pathText,
  valueFault,
  wordFault,
} from "../../../src/faults/faults.js";
import { objectShape, parseWith, type Schema } from "../../../src/faults/schema-faults.js";

describe("the text of a fault", () => {
  const fault = { file: "/rc", path: "port", expected: "a number", found: '"x"' };
  test.each<[string, object, string]>([
    ["with file, line and column", { line: 3, column: 5 }, '/rc:3:5 port: expected a number, found "x".'],
    ["with what is known of its place", { line: 3 }, '/rc:3 port: expected a number, found "x".'],
    ["without a path where it is the whole file", { path: "" }, '/rc: expected a number, found "x".'],
    [
      "with names that are near",
      { nearest: ["a", "b"] },
      '/rc port: expected a number, found "x". Did you mean "a" or "b"?',
    ],
  ])("%s", (_, more, text) => expect(faultText({ ...fault, ...more })).toBe(text));

  test("with how many there are", () => {
    const error = new ConfigFaultsError([fault]);
    expect(error.message).toBe('The configuration has 1 fault:\n  /rc port: expected a number, found "x".');
    expect(error.faults).toEqual([fault]);
    expect([error, killTimeout(), new Error("x")].map(isConfigFaultsError)).toEqual([true, false, false]);
  });
});

describe("a fault in a value", () => {
  test("shows the value, or describes what was found; similar names only where there are some", () => {
    expect(valueFault(["a"], "b", "c")).toEqual({ path: ["a"], expected: "b", found: '"c"' });
    expect(wordFault(["a"], "b", "c")).toEqual({ path: ["a"], expected: "b", found: "c" });
    for (const recorded of [valueFault, wordFault]) {
      expect(recorded(["a"], "b", "c", [])).not.toHaveProperty("nearest");
      expect(recorded(["a"], "b", "c", ["d"])).toMatchObject({ nearest: ["d"] });
    }
  });
});

test.each<[readonly (string | number)[], string]>([
  [[], ""],
  [["node"], "node"],
  [["node", "maxPods"], "node.maxPods"],
  [["plugins", 1, "a"], "plugins[1].a"],
  [["labels", "a.b/c"], 'labels["a.b/c"]'],
  [["example.com/a", "b"], '["example.com/a"].b'],
  [["a-b", "_c", "D9"], "a-b._c.D9"],
  [["9a"], '["9a"]'],
  [["a b"], '["a b"]'],
])("the path %j is written %s", (path, text) => expect(pathText(path)).toBe(text));

const options = z.strictObject({
  size: z.number().optional(),
  inner: z.strictObject({ depth: z.number().default(1) }).prefault({}),
  list: z.array(z.object({ a: z.number().optional() })).optional(),
  byName: z.record(z.string(), z.object({ a: z.number().optional() })).optional(),
  free: z.looseObject({ a: z.number().optional() }).optional(),
  piped: z
    .object({ a: z.number().optional() })
    .transform((value) => value)
    .optional(),
});
const known = "size, inner, list, byName, free, piped";

describe("unknown options", () => {
  const faults = (value: unknown, alsoKnown?: readonly string[], schema: z.ZodType = options) =>
    parseWith(schema, value, [], alsoKnown).faults?.map(
      ({ path, expected, found, nearest }) => `${pathText(path)}: ${expected}; ${found}; ${nearest?.join() ?? "-"}`,
    );

  test.each<[string, unknown, readonly string[] | undefined]>([
    ["none is no fault", { size: 1, inner: {}, list: [{ a: 1 }], byName: { x: { a: 1 } } }, undefined],
    ["one that is near to known ones", { sise: 1 }, ['sise: a known option; unknown option "sise"; size,list']],
    [
      "one that is near to none shows all",
      { xyzzyx: 1 },
      [`xyzzyx: a known option (${known}); unknown option "xyzzyx"; -`],
    ],
    ["within an object", { inner: { dept: 1 } }, ['inner.dept: a known option; unknown option "dept"; depth']],
    [
      "within a list, also where zod would pass them",
      { list: [{ a: 1 }, { b: 1 }] },
      ['list[1].b: a known option; unknown option "b"; a'],
    ],
    [
      "within the values of a record",
      { byName: { x: { b: 1 } } },
      ['byName.x.b: a known option; unknown option "b"; a'],
    ],
    ["within what is transformed", { piped: { b: 1 } }, ['piped.b: a known option; unknown option "b"; a']],
    ["an open object has none", { free: { b: 1 } }, undefined],
    [
      "a name that every object inherits",
      { constructor: 1 },
      [`constructor: a known option (${known}); unknown option "constructor"; -`],
    ],
  ])("%s", (_, value, expected) => expect(faults(value)).toEqual(expected));

  test("keys of the top that are read elsewhere are known, and not below", () => {
    expect(faults({ sort: 1 }, ["sort"])).toEqual(['sort: a known option; unknown option "sort"; sort']);
  });

  test("an open schema is closed at its top: its keys are known options", () => {
    expect(faults({ b: 1 }, [], z.looseObject({ a: z.number().optional() }))).toEqual([
      'b: a known option; unknown option "b"; a',
    ]);
  });

  test("a plugin without options is reported as such", () => {
    expect(faults({ a: 1 }, [], z.strictObject({}))).toEqual(['a: no options; unknown option "a"; -']);
  });

  test("the path of the whole goes before that of a fault", () => {
    expect(parseWith(options, { sise: 1 }, ["plugins", 0]).faults?.map(({ path }) => path)).toEqual([
      ["plugins", 0, "sise"],
    ]);
    expect(parseWith(options, { size: "x" }, ["plugins", 0]).faults?.map(({ path }) => path)).toEqual([
      ["plugins", 0, "size"],
    ]);
  });
});

describe("what a value should have been", () => {
  const recorded = (schema: z.ZodType, value: unknown) => parseWith(z.object({ a: schema }), { a: value }).faults;

  test.each<[string, z.ZodType, unknown, string, string]>([
    ["a text", z.string(), 1, "a text", "1"],
    ["true or false", z.boolean(), "yes", "true or false", '"yes"'],
    ["an object", z.strictObject({}), [], "an object", "[]"],
    ["a record", z.record(z.string(), z.number()), 1, "an object", "1"],
    ["a list", z.array(z.number()), {}, "a list", "{}"],
    ["a pair", z.tuple([z.number()]), {}, "a list", "{}"],
    ["null", z.null(), 1, "null", "1"],
    ["another type", z.date(), 1, "date", "1"],
    ["one literal", z.literal("red"), "b", '"red"', '"b"'],
    ["at least", z.number().min(5), 1, "at least 5", "1"],
    ["above", z.number().gt(5), 5, "above 5", "5"],
    ["at most", z.number().max(5), 6, "at most 5", "6"],
    ["below", z.number().lt(5), 5, "below 5", "5"],
    ["characters", z.string().min(2), "a", "at least 2 characters", '"a"'],
    ["entries", z.array(z.number()).max(1), [1, 2], "at most 1 entries", "[1,2]"],
    ["entries of a set", z.set(z.number()).max(1), new Set([1, 2]), "at most 1 entries", "{}"],
    ["two kinds with the same words", z.union([z.string().min(1), z.string().max(0)]), 1, "a text", "1"],
    ["what a refinement says", z.number().refine(() => false, { error: "a prime" }), 4, "a prime", "4"],
    ["what is not set", z.never({ error: () => "Invalid never" }), 4, "never", "4"],
    ["nothing at all", z.union([]), 4, "another value", "4"],
    ["a custom check without words", z.custom(() => false), 4, "another value", "4"],
  ])("%s", (_, schema, value, expected, found) => {
    expect(recorded(schema, value)).toEqual([{ path: ["a"], expected, found }]);
  });

  test("only similar names are listed", () => {
    expect(recorded(z.enum(["process", "cri"]), "proces")).toEqual([
      { path: ["a"], expected: "one of process, cri", found: '"proces"', nearest: ["process"] },
    ]);
    expect(recorded(z.enum(["process", "cri"]), 5)).toEqual([
      { path: ["a"], expected: "one of process, cri", found: "5" },
    ]);
  });

  test("of a record a key that is none is shown, with what keys are", () => {
    expect(recorded(z.record(z.string().regex(/^x/, { error: "a key with x" }), z.number()), { y: 1 })).toEqual([
      { path: ["a", "y"], expected: "a key with x", found: '"y"' },
    ]);
  });

  test("each wrong value is a separate fault, and valid values are left out", () => {
    const parsed = parseWith(z.object({ a: z.number(), b: z.number() }), { a: "x", b: "y" });
    expect(parsed.faults).toHaveLength(2);
    expect(parsed).not.toHaveProperty("value");
    expect(parseWith(z.object({ a: z.number() }), { a: 1 })).toEqual({ value: { a: 1 } });
  });

  test("what is missing is nothing", () => {
    expect(parseWith(z.object({ a: z.object({ b: z.number() }) }), { a: {} }).faults).toEqual([
      { path: ["a", "b"], expected: "a number", found: "nothing" },
    ]);
  });
});

describe("the options behind a schema", () => {
  const keys = (schema: Schema) => Object.keys(objectShape(schema) ?? { none: 1 });
  const object = z.object({ a: z.number() });
  test.each<[string, Schema, readonly string[]]>([
    ["are those of an object", object, ["a"]],
    ["may be optional, or have a default", object.optional().default({ a: 1 }), ["a"]],
    ["may be transformed", object.transform((value) => value), ["a"]],
    ["are none of a number", z.number(), ["none"]],
  ])("%s", (_, schema, expected) => expect(keys(schema)).toEqual(expected));
});
