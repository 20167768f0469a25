import { expect, test } from "@jest/globals";
import { FieldFaults } from "../../src/field-faults.js";
import { FieldPath } from "../../src/path.js";
import { readShape } from "../../src/read-shape.js";
import { flag, list, map, object, portRef, quantity, type Shape, text } from "../../src/shape.js";

const small: Shape = { is: "integer", min: -1, max: 3 };

function reading(value: unknown, shape: Shape, options?: { readonly hideValues: boolean }) {
  const faults = new FieldFaults();
  const read = readShape(value, shape, FieldPath.root.child("x"), faults, options);
  return { read, faults: faults.list.map(({ message }) => message) };
}

test.each<[string, unknown, Shape, unknown]>([
  ["a text", "a", text, "a"],
  ["an empty text", "", text, ""],
  ["a flag", false, flag, false],
  ["the least integer", -1, small, -1],
  ["the largest integer", 3, small, 3],
  ["zero, which is not negative", -0, small, 0],
  ["a quantity, in its shortest form", " 1024Mi ", quantity, "1Gi"],
  ["a quantity as a number", 0.5, quantity, "500m"],
  ["a port by number", 80, portRef, 80],
  ["a port by name", "http", portRef, "http"],
  ["a list", ["a", "b"], list(text), ["a", "b"]],
  ["a map, sorted, without nulls", { b: "2", a: "1", c: null }, map(text), { a: "1", b: "2" }],
  [
    "an object, in the order of its shape",
    { b: "2", a: "1" },
    object({ a: text, b: text, c: text }),
    { a: "1", b: "2" },
  ],
  ["an object without its nulls", { a: null }, object({ a: text }), {}],
  ["nothing", null, text, undefined],
  ["a field that is dropped", { a: 1 }, object({ a: { is: "dropped" } }), {}],
  ["a harmless value of what is refused", false, { is: "refused", why: "no", harmless: [false] }, undefined],
  ["an empty list of what is refused", [], { is: "refused", why: "no", harmless: [] }, undefined],
])("%s is read", (_name, value, shape, expected) => {
  const { read, faults } = reading(value, shape);
  expect(faults).toEqual([]);
  expect(read).toEqual(expected);
  if (typeof expected === "object") expect(Object.keys(read as object)).toEqual(Object.keys(expected as object));
  if (expected === 0) expect(Object.is(read, 0)).toBe(true);
});

test.each<[string, unknown, Shape, string]>([
  ["a number for a text", 1, text, "x: Invalid value: 1: must be a string (put it in quotes)"],
  ["an object for a text", {}, text, 'x: Invalid value: "": must be a string'],
  ["a text with NUL", "a\0", text, 'x: Invalid value: "a\\u0000": must not contain a NUL character'],
  ["a text for a flag", "true", flag, 'x: Invalid value: "true": must be true or false'],
  ["a text for an integer", "1", small, 'x: Invalid value: "1": must be an integer'],
  ["a fraction", 0.5, small, "x: Invalid value: 0.5: must be an integer"],
  ["infinity", Number.POSITIVE_INFINITY, small, "x: Invalid value: null: must be an integer"],
  ["an integer below the least", -2, small, "x: Invalid value: -2: must be between -1 and 3, inclusive"],
  ["an integer above the largest", 4, small, "x: Invalid value: 4: must be between -1 and 3, inclusive"],
  ["a quantity that is a flag", true, quantity, "x: Invalid value: true: must be a quantity, for example 500m or 64Mi"],
  [
    "a quantity without a number",
    "Mi",
    quantity,
    "x: Invalid value: \"Mi\": quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  ["a flag for a port", true, portRef, "x: Invalid value: true: must be a port or its name"],
  [
    "a port beyond 32 bits",
    2 ** 31,
    portRef,
    "x: Invalid value: 2147483648: must be between -2147483648 and 2147483647, inclusive",
  ],
  ["an object for a list", {}, list(text), 'x: Invalid value: "": must be a list'],
  ["a list for a map", [], map(text), 'x: Invalid value: "": must be a map'],
  ["a text for an object", "a", object({}), 'x: Invalid value: "a": must be an object'],
  [
    "a field of a wrong type",
    { a: 1 },
    object({ a: text }),
    "x.a: Invalid value: 1: must be a string (put it in quotes)",
  ],
  ["a value of a map", { a: 1 }, map(text), "x[a]: Invalid value: 1: must be a string (put it in quotes)"],
  ["an unknown field", { nane: "a" }, object({ name: text }), 'unknown field "x.nane". Did you mean "name"?'],
  [
    "what is refused",
    true,
    { is: "refused", why: "not on this node", harmless: [false] },
    "x: Forbidden: not on this node",
  ],
  ["a list of what is refused", [1], { is: "refused", why: "no", harmless: [] }, "x: Forbidden: no"],
])("%s is a fault, and left out", (_name, value, shape, expected) => {
  const { read, faults } = reading(value, shape);
  expect(faults).toEqual([expected]);
  expect(read === undefined || Object.keys(read as object).length === 0).toBe(true);
});

test.each<[string, Shape, unknown]>([
  ["an object", object({}), {}],
  ["a map", map(text), {}],
  ["a list", list(text), []],
  ["an integer", small, 0],
  ["a text", text, ""],
])("a null in a list is a fault, and its place holds an empty value: %s", (_name, shape, hollow) => {
  expect(reading([null], list(shape))).toEqual({ read: [hollow], faults: ["x[0]: Required value"] });
});

test("faults of what is secret do not show values", () => {
  expect(reading({ a: 5 }, map(text), { hideValues: true }).faults).toEqual([
    'x[a]: Invalid value: "": must be a string (put it in quotes)',
  ]);
});

test("a key called __proto__ is a key like any other", () => {
  const { read } = reading(JSON.parse('{"__proto__": "a"}'), map(text));
  expect(Object.entries(read as object)).toEqual([["__proto__", "a"]]);
});
