import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { afterDeath, type Death } from "../../src/agent/deaths.js";

type Ledger = Readonly<Record<string, Death>>;

interface Life {
  readonly ledger: Ledger;
  readonly died: boolean;
}

const isAside = (ledger: Ledger, uid: string): boolean => (ledger[uid]?.count ?? 0) >= 3;

/**
 * One life as the roster leads it: who is not suspected is handled at the same moment, then the suspects one by one. The agent dies over
 * a culprit, or where it is killed: before so many suspects have had their turn.
 */
function life(ledger: Ledger, pods: readonly string[], culprits: ReadonlySet<string>, killedAt?: number): Life {
  const handled = pods.filter((uid) => !isAside(ledger, uid));
  const others = handled.filter((uid) => ledger[uid] === undefined);
  if (others.some((uid) => culprits.has(uid))) {
    return { ledger: afterDeath(ledger, { over: others, well: [] }, "x"), died: true };
  }
  const suspects = handled
    .filter((uid) => ledger[uid] !== undefined)
    .toSorted((a, b) => (ledger[a]?.count ?? 0) - (ledger[b]?.count ?? 0));
  for (const [turn, uid] of suspects.entries()) {
    if (!culprits.has(uid) && turn !== killedAt) continue;
    return { ledger: afterDeath(ledger, { over: [uid], well: suspects.slice(0, turn) }, "x"), died: true };
  }
  return { ledger, died: false };
}

const nodes = fc
  .uniqueArray(fc.integer({ min: 0, max: 999 }).map(String), { minLength: 1, maxLength: 30 })
  .chain((pods) => fc.record({ pods: fc.constant(pods), culprits: fc.subarray(pods).map((some) => new Set(some)) }));

test("whoever handles kill the agent without a word are set aside, after at most three deaths for each, and nobody else is", () => {
  fc.assert(
    fc.property(nodes, ({ pods, culprits }) => {
      let now: Life = { ledger: {}, died: true };
      for (let deaths = 0; now.died; deaths++) {
        expect(deaths).toBeLessThanOrEqual(1 + 3 * culprits.size);
        now = life(now.ledger, pods, culprits);
      }
      expect(pods.filter((uid) => isAside(now.ledger, uid))).toEqual(pods.filter((uid) => culprits.has(uid)));
    }),
  );
});

test("a kill from outside, at whatever moment, sets no innocent pod aside that is handled well once before the next", () => {
  fc.assert(
    fc.property(nodes, fc.array(fc.nat(30), { maxLength: 20 }), ({ pods }, kills) => {
      let ledger: Ledger = afterDeath({}, { over: pods, well: [] }, "x");
      for (const kill of kills) {
        ledger = life(ledger, pods, new Set(), kill).ledger;
        // The life after it lasts until all have had their turn.
        ledger = afterDeath(ledger, { over: [], well: pods }, "x");
      }
      expect(pods.filter((uid) => isAside(ledger, uid))).toEqual([]);
    }),
  );
});
