import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { afterCrash, afterRun, type Crash } from "../../../src/agent/crash-loop-guard.js";

type Ledger = Readonly<Record<string, Crash>>;

const SHORT = 1000;
const LONG = 600_000;
const isAside = (ledger: Ledger, uid: string): boolean => (ledger[uid]?.count ?? 0) >= 3;
const uids = fc.uniqueArray(fc.integer({ min: 0, max: 99 }).map(String), { minLength: 1, maxLength: 10 });

test("pods that end the agent in any order are all quarantined after three crashes each, and no others", () => {
  fc.assert(
    fc.property(uids, fc.infiniteStream(fc.nat()), (culprits, choices) => {
      let ledger: Ledger = {};
      for (let crashLoopGuard = 0; ; crashLoopGuard++) {
        const left = culprits.filter((uid) => !isAside(ledger, uid));
        if (left.length === 0) {
          expect(crashLoopGuard).toBe(3 * culprits.length);
          break;
        }
        const choice = choices.next().value ?? 0;
        ledger = afterCrash(ledger, left[choice % left.length], "x", SHORT);
      }
      expect(Object.keys(ledger).toSorted()).toEqual(culprits.toSorted());
    }),
  );
});

test("the crash before the agent follows its pods counts for each pod that crashes it after that", () => {
  const first = afterCrash({}, "", "x", SHORT);
  const [second, other] = ["a", "b"].map((uid) => afterCrash(first, uid, "x", SHORT));
  expect([second?.a?.count, other?.b?.count]).toEqual([2, 2]);
  expect(isAside(afterCrash(second ?? {}, "a", "x", SHORT), "a")).toBe(true);
  expect(afterCrash(first, "a", "x", LONG).a?.count).toBe(1);
  expect(afterRun(first)).toEqual({});
});

test.each([
  { what: "a life that ended in order breaks all rows", after: afterRun, left: ["aside"] },
  {
    what: "a long life that ended over another pod breaks the others' rows",
    after: (ledger: Ledger) => afterCrash(ledger, "c", "x", LONG),
    left: ["aside", "c"],
  },
  {
    what: "a short run that ended over no pod breaks none",
    after: (ledger: Ledger) => afterCrash(ledger, undefined, "x", SHORT),
    left: ["a", "aside"],
  },
  {
    what: "a pod that ends the agent each time is counted, however long the agent lived",
    after: (ledger: Ledger) => afterCrash(ledger, "a", "x", LONG),
    left: ["a", "aside"],
  },
])("$what; a quarantined pod stays so", ({ after, left }) => {
  const ledger: Ledger = { a: { count: 2, error: "x" }, aside: { count: 3, error: "x" } };
  const now = after(ledger);
  expect(Object.keys(now).toSorted()).toEqual(left);
  expect(isAside(now, "aside")).toBe(true);
  if (left.includes("c")) expect(now.c?.count).toBe(1);
});
