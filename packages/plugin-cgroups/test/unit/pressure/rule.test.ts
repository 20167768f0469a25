import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type HighInput, highRange, nextHigh, somePressure } from "../../../src/pressure/rule.js";
import { both, GIB, MIB, aPod as pod } from "../world.js";

const calm: HighInput = {
  current: 500 * MIB,
  high: Number.POSITIVE_INFINITY,
  floor: 100 * MIB,
  ceiling: GIB,
  pressure: 0,
  target: 1,
  pageSize: 4096,
};

describe("the next memory.high", () => {
  test.each([
    { name: "lies a little below the usage, while no process waits", given: {}, next: 490 * MIB },
    { name: "stays while the pressure is near its target", given: { high: 490 * MIB, pressure: 0.7 }, next: 490 * MIB },
    {
      name: "rises by a tenth above the target",
      given: { current: 400 * MIB, high: 400 * MIB, pressure: 5 },
      next: 440 * MIB,
    },
    {
      name: "is removed once it reaches the limit",
      given: { current: GIB, high: GIB - 4096, pressure: 5 },
      next: Number.POSITIVE_INFINITY,
    },
    { name: "never takes what the pod asked for", given: { current: 90 * MIB }, next: 100 * MIB },
    { name: "does not rise for a pod that takes more without waiting", given: { high: 300 * MIB }, next: 300 * MIB },
  ])("$name", ({ given, next }) => {
    expect(nextHigh({ ...calm, ...given })).toBe(next);
  });

  test("is in whole pages from request to limit, or none, for any input", () => {
    const bytes = fc.integer({ min: 0, max: 2 * GIB });
    fc.assert(
      fc.property(
        bytes,
        fc.oneof(bytes, fc.constant(Number.POSITIVE_INFINITY)),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (current, high, pressure) => {
          const next = nextHigh({ ...calm, current, high, pressure });
          if (next === high) return true;
          return next === Number.POSITIVE_INFINITY || (next % 4096 === 0 && next >= calm.floor && next < calm.ceiling);
        },
      ),
    );
  });
});

describe("which containers have one", () => {
  test.each([
    {
      name: "from request to limit",
      of: pod("a", [{ requests: { memory: "64Mi" }, limits: { memory: "128Mi" } }]),
      range: [64 * MIB, 128 * MIB],
    },
    {
      name: "from request to what the node can give, without a limit",
      of: pod("a", [{ requests: { memory: "64Mi" } }]),
      range: [64 * MIB, 8 * GIB],
    },
    {
      name: "not a Guaranteed pod: its request is its limit",
      of: pod("a", [both({ cpu: "1", memory: "64Mi" })]),
      range: undefined,
    },
    { name: "not a pod that does not say what it needs", of: pod("a"), range: undefined },
  ])("$name", ({ of, range }) => {
    const found = highRange(of, 8 * GIB);
    expect(found && [found.floor, found.ceiling]).toEqual(range);
  });

  test("pressure is read of the kernel's own average", () => {
    expect(somePressure("some avg10=1.25 avg60=0.00 avg300=0.00 total=9\nfull avg10=0.50")).toBe(1.25);
    expect(somePressure(undefined)).toBeUndefined();
  });
});

describe("between the target and half of it", () => {
  test.each([
    { name: "at the target it stays", given: { pressure: 1, high: 400 * MIB }, next: 400 * MIB },
    { name: "at half of it, it stays", given: { pressure: 0.5, high: 600 * MIB }, next: 600 * MIB },
    { name: "a little above half it stays", given: { pressure: 0.6, high: 600 * MIB }, next: 600 * MIB },
    {
      name: "above, it is none once it comes to the limit",
      given: { pressure: 2, high: 500 * MIB, ceiling: 550 * MIB },
      next: Number.POSITIVE_INFINITY,
    },
    { name: "below half it goes down", given: { pressure: 0.49, high: 600 * MIB }, next: 490 * MIB },
    { name: "above, a pod that has none is given none", given: { pressure: 2 }, next: Number.POSITIVE_INFINITY },
    {
      name: "above, it rises from what is in use where that is more",
      given: { pressure: 2, current: 500 * MIB, high: 400 * MIB },
      next: 550 * MIB,
    },
    { name: "a page is the least step", given: { current: 200 * MIB + 1, high: GIB }, next: 196 * MIB },
  ])("$name", ({ given, next }) => {
    expect(nextHigh({ ...calm, ...given })).toBe(next);
  });
});

test("one container without a limit leaves the whole pod without: what the node can give is the ceiling", () => {
  const some = pod("a", [
    { requests: { memory: "64Mi" }, limits: { memory: "128Mi" } },
    { requests: { memory: "1Mi" } },
  ]);
  expect(highRange(some, 8 * GIB)).toEqual({ floor: 65 * MIB, ceiling: 8 * GIB });
});

test.each([
  { name: "whole numbers", text: "some avg10=12 avg60=0.00", pressure: 12 },
  { name: "not the full line", text: "full avg10=3.00 avg60=0.00", pressure: undefined },
  { name: "a line further down", text: "first\nsome avg10=0.07 avg60=0.00", pressure: 0.07 },
  { name: "not what stands in the middle of a line", text: "x some avg10=0.07", pressure: undefined },
  { name: "an empty file", text: "", pressure: undefined },
])("pressure: $name", ({ text, pressure }) => {
  expect(somePressure(text)).toBe(pressure);
});
