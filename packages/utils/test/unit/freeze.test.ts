import { expect, test } from "@jest/globals";
import { deepFreeze } from "../../src/freeze.js";

test("a value is frozen in place, with all in it", () => {
  const value = { a: [{ b: { c: 1 } }], d: "text", e: null };
  expect(deepFreeze(value)).toBe(value);
  expect([value, value.a, value.a[0], value.a[0]?.b].every(Object.isFrozen)).toBe(true);
});

test("what was frozen at its top alone is frozen below", () => {
  const value = Object.freeze({ a: { b: 1 } });
  deepFreeze(value);
  expect(Object.isFrozen(value.a)).toBe(true);
});

test("a value in a circle, and one as deep as no stack, end", () => {
  const circle: { own?: object } = {};
  circle.own = circle;
  let deep: object = {};
  const bottom = deep;
  for (let depth = 0; depth < 100_000; depth += 1) deep = { deep };
  deepFreeze([circle, deep]);
  expect([circle, bottom].every(Object.isFrozen)).toBe(true);
});

test.each([
  ["bytes, which cannot be frozen", Buffer.from("a")],
  ["a number", 1],
  ["null", null],
  ["undefined", undefined],
])("%s stay as they are", (_name, value) => expect(deepFreeze({ value }).value).toBe(value));
