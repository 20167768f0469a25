import { describe, expect, test } from "@jest/globals";
import { type MaskHint, mergeHints } from "../../../src/topology/merge.js";

const nodes = [0, 1, 2];
const hint = (mask: number | undefined, preferred = false): MaskHint => ({ mask, preferred });

describe("where no choice is preferred", () => {
  test.each<{ name: string; lists: readonly (readonly MaskHint[])[]; expected: readonly number[] }>([
    {
      name: "it is as wide as the neediest resource asks, not narrower",
      lists: [[hint(0b011)], [hint(0b001), hint(0b011)]],
      expected: [0, 1],
    },
    {
      name: "resources without a place do not count for the width",
      lists: [[hint(undefined)], [hint(0b010), hint(0b011)]],
      expected: [1],
    },
  ])("$name", ({ lists, expected }) => {
    for (const all of [lists, lists.map((list) => list.toReversed()), lists.toReversed()]) {
      expect(mergeHints(all, nodes)).toEqual({ nodes: expected, preferred: false });
    }
  });
});

test("a preferred choice goes before a better fitting one that is not", () => {
  const wide = [hint(0b111, true), hint(0b001)];
  for (const list of [wide, wide.toReversed()]) {
    expect(mergeHints([list], nodes)).toEqual({ nodes: [0, 1, 2], preferred: true });
  }
});
