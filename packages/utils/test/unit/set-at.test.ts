import { expect, test } from "@jest/globals";
import { setAt } from "../../src/set-at.js";

test.each<[object, readonly string[], object]>([
  [{}, ["a"], { a: 1 }],
  [{ a: 0, b: 2 }, ["a"], { a: 1, b: 2 }],
  [{}, ["a", "b", "c"], { a: { b: { c: 1 } } }],
  [{ a: { x: 2 } }, ["a", "b"], { a: { x: 2, b: 1 } }],
  [{ a: [2] }, ["a", "b"], { a: { b: 1 } }],
  [{ a: null }, ["a", "b"], { a: { b: 1 } }],
  [{ a: "text" }, ["a", "b"], { a: { b: 1 } }],
  [{}, [], { "": 1 }],
])("%j with a value at %j is %j", (before, path, after) => {
  const into = structuredClone(before) as Record<string, unknown>;
  setAt(into, path, 1);
  expect(into).toEqual(after);
});

test("records on the way are copied", () => {
  const inner = { x: 1 };
  setAt({ a: inner }, ["a", "b"], 1);
  expect(inner).toEqual({ x: 1 });
});
