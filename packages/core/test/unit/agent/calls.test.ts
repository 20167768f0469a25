import { expect, test } from "@jest/globals";
import { type Call, calls } from "../../../src/agent/calls.js";

test.each(Object.entries<Call>(calls))("%s takes each field of its path, and its body", (_, { path, takes, text }) => {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, step = ""]) => step);
  expect(takes.flat()).toEqual(expect.arrayContaining([...named, ...(text === undefined ? [] : [text])]));
});

test("no two calls are one route", () => {
  const routes = Object.values<Call>(calls).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(routes).size).toBe(routes.length);
});

test("readers change nothing", () => {
  const reads = Object.values<Call>(calls).filter((call) => call.reads);
  expect(reads.map(({ method }) => method).filter((method) => method !== "GET")).toEqual([]);
});
