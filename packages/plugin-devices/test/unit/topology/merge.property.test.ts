/** The merge follows what differs only; here it is held against the kubelet's loop over every combination. */
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { isNarrower, type MaskHint, mergeHints, nodesOf, sizeOf } from "../../../src/topology/merge.js";

const nodes = [0, 1, 2];
const EVERYWHERE = 0b111;

function everyCombination(lists: readonly (readonly MaskHint[])[]): MaskHint {
  const combinations = lists.reduce<readonly (readonly MaskHint[])[]>(
    (all, list) => all.flatMap((one) => list.map((hint) => [...one, hint])),
    [[]],
  );
  const sizes = lists.map((list) => {
    const own = list.flatMap(({ mask }) => (mask === undefined ? [] : [sizeOf(mask)]));
    return own.length === 0 ? 0 : Math.min(...own);
  });
  const wanted = Math.max(0, ...sizes);
  let best: { mask: number; preferred: boolean } | undefined;
  for (const combination of combinations) {
    const masks = combination.flatMap(({ mask }) => (mask === undefined ? [] : [mask]));
    const mask = masks.reduce((a, b) => a & b, EVERYWHERE);
    const preferred = combination.every((hint) => hint.preferred) && masks.every((one) => one === masks[0]);
    if (mask === 0) continue;
    best = best === undefined ? { mask, preferred } : better(best, { mask, preferred }, wanted);
  }
  return best ?? { mask: EVERYWHERE, preferred: false };
}

type Merged = { mask: number; preferred: boolean };

/** Step by step as the kubelet compares them. */
function better(current: Merged, candidate: Merged, wanted: number): Merged {
  const narrower = (): Merged => (isNarrower(candidate.mask, current.mask) ? candidate : current);
  if (!current.preferred && candidate.preferred) return candidate;
  if (current.preferred && !candidate.preferred) return current;
  if (current.preferred && candidate.preferred) return narrower();
  const [has, would] = [sizeOf(current.mask), sizeOf(candidate.mask)];
  if (has > wanted) return narrower();
  if (has === wanted) return would === wanted ? narrower() : current;
  if (would > wanted) return current;
  if (would === wanted) return candidate;
  if (would > has) return candidate;
  return would < has ? current : narrower();
}

test("the best of all combinations, for any hints", () => {
  const hint = fc.record({
    mask: fc.option(fc.integer({ min: 1, max: EVERYWHERE }), { nil: undefined, freq: 6 }),
    preferred: fc.boolean(),
  });
  const lists = fc.array(fc.array(hint, { maxLength: 5 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(lists, (all) => {
      const expected = everyCombination(all);
      expect(mergeHints(all, nodes)).toEqual({
        nodes: nodesOf(expected.mask ?? 0, nodes),
        preferred: expected.preferred,
      });
    }),
    { numRuns: 2_000 },
  );
});
