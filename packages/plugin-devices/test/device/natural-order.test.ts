import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { compareNatural, inNaturalOrder } from "../../src/device/natural-order.js";

describe("natural order", () => {
  test.each([
    { name: "numbers count", ids: ["gpu-10", "gpu-2", "gpu-1"], expected: ["gpu-1", "gpu-2", "gpu-10"] },
    { name: "of equal numbers the one with zeros in front", ids: ["a1", "a01"], expected: ["a01", "a1"] },
    { name: "a longer id after its beginning", ids: ["a-1-b", "a-1", "a"], expected: ["a", "a-1", "a-1-b"] },
    {
      name: "numbers longer than any number type",
      ids: ["x100000000000000000000001", "x99999999999999999999999"],
      expected: ["x99999999999999999999999", "x100000000000000000000001"],
    },
  ])("$name", ({ ids, expected }) => {
    expect(inNaturalOrder(ids, (id) => id)).toEqual(expected);
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

  test("two ids are equal only when they are the same text", () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => (compareNatural(a, b) === 0) === (a === b)));
  });
});
