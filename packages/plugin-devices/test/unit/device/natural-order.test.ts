import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { compareNatural, inNaturalOrder } from "../../../src/device/natural-order.js";

describe("natural order", () => {
  test.each([
    { name: "numbers count", ids: ["gpu-10", "gpu-2", "gpu-1"], expected: ["gpu-1", "gpu-2", "gpu-10"] },
    { name: "of equal numbers the one with zeros in front", ids: ["a1", "a01"], expected: ["a01", "a1"] },
    { name: "a longer id after its beginning", ids: ["a-1-b", "a-1", "a"], expected: ["a", "a-1", "a-1-b"] },
    { name: "a letter counts before the length", ids: ["b", "aa"], expected: ["aa", "b"] },
    { name: "a digit against a letter is a letter among letters", ids: ["ab", "a10"], expected: ["a10", "ab"] },
    {
      name: "a digit against a sign as well, on both sides of the digits",
      ids: ["a:", "a10", "a/"],
      expected: ["a/", "a10", "a:"],
    },
    { name: "a beginning comes first, whatever zeros it has", ids: ["a01x", "a1"], expected: ["a1", "a01x"] },
    {
      name: "numbers longer than any number type",
      ids: ["x100000000000000000000001", "x99999999999999999999999"],
      expected: ["x99999999999999999999999", "x100000000000000000000001"],
    },
  ])("$name", ({ ids, expected }) => {
    for (const some of [ids, ids.toReversed()]) expect(inNaturalOrder(some, (id) => id)).toEqual(expected);
    for (const [index, id] of expected.slice(1).entries()) {
      expect(compareNatural(expected[index] as string, id)).toBeLessThan(0);
      expect(compareNatural(id, expected[index] as string)).toBeGreaterThan(0);
    }
  });

  test("is an order: any permutation of different ids is sorted to the same list", () => {
    const id = fc.stringMatching(/^[a-c]?[0-2]{0,3}-?[0-9]{0,2}$/);
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (ids, random) => {
        const shuffled = ids
          .map((one) => ({ one, key: random.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ one }) => one);
        expect(inNaturalOrder(shuffled, (one) => one)).toEqual(inNaturalOrder(ids, (one) => one));
      }),
    );
  });

  test("two ids are equal only when they are the same text, and one goes before the other for both", () => {
    const id = fc.oneof(fc.string(), fc.stringMatching(/^[a-b]?0{0,2}[0-2]?$/));
    fc.assert(
      fc.property(id, id, (a, b) => {
        expect(compareNatural(a, a)).toBe(0);
        expect(compareNatural(a, b) === 0).toBe(a === b);
        expect(Math.sign(compareNatural(a, b)) + Math.sign(compareNatural(b, a))).toBe(0);
      }),
    );
  });
});
