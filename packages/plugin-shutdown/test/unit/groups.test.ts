import { aPod } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { graceOf, groupByPriority, longest, periodsOf } from "../../src/internal.js";

const options = { shutdownGracePeriod: 0, shutdownGracePeriodCriticalPods: 0, shutdownGracePeriodByPodPriority: [] };
const pod = (priority: number | undefined, terminationGracePeriodSeconds?: number) => {
  const made = aPod({ name: `p${priority}` });
  const spec = { ...made.spec, ...(priority !== undefined && { priority }), terminationGracePeriodSeconds };
  return { ...made, spec } as typeof made;
};
const period = (priority: number, shutdownGracePeriodSeconds = 1) => ({ priority, shutdownGracePeriodSeconds });

test.each([
  { name: "nothing is asked for", given: {}, expected: [] },
  {
    name: "the time of critical pods is the last part of the whole",
    given: { shutdownGracePeriod: 30, shutdownGracePeriodCriticalPods: 10 },
    expected: [period(0, 20), period(2_000_000_000, 10)],
  },
  {
    name: "without a part of their own critical pods have no time",
    given: { shutdownGracePeriod: 30 },
    expected: [period(0, 30), period(2_000_000_000, 0)],
  },
  {
    name: "by priority: in its order, however it was written",
    given: { shutdownGracePeriodByPodPriority: [period(100, 5), period(0, 60), period(10, 7)] },
    expected: [period(0, 60), period(10, 7), period(100, 5)],
  },
])("$name", ({ given, expected }) => {
  expect(periodsOf({ ...options, ...given })).toEqual(expected);
});

test("the machine waits for all groups one after the other", () => {
  expect(longest([period(0, 20), period(5, 0), period(10, 10)])).toBe(30);
});

test.each([
  { name: "none at all is 0", priority: undefined, group: 0 },
  { name: "below the lowest: the lowest", priority: -5, group: 0 },
  { name: "between two: the lower one", priority: 15, group: 1 },
  { name: "on the border: the one that begins there", priority: 100, group: 2 },
  { name: "above the highest: the highest", priority: 2_000_001_000, group: 2 },
])("a pod's priority and its group: $name", ({ priority, group }) => {
  const groups = groupByPriority([period(0), period(10), period(100)], [pod(priority)]);
  expect(groups.map(({ pods }) => pods.length)).toEqual([0, 1, 2].map((index) => Number(index === group)));
});

test("a pod has its own grace period, no longer than its group's", () => {
  expect([
    graceOf(pod(0, 5), period(0, 20)),
    graceOf(pod(0, 50), period(0, 20)),
    graceOf(pod(0), period(0, 20)),
  ]).toEqual([5, 20, 20]);
});

test("every pod is in one group, and no group goes before one of lower priority", () => {
  const priorities = fc.integer({ min: -2_147_483_648, max: 2_147_483_647 });
  fc.assert(
    fc.property(fc.uniqueArray(priorities, { minLength: 1, maxLength: 8 }), fc.array(priorities), (borders, given) => {
      const periods = periodsOf({ ...options, shutdownGracePeriodByPodPriority: borders.map((one) => period(one)) });
      const groups = groupByPriority(
        periods,
        given.map((priority) => pod(priority)),
      );
      expect(groups.flatMap(({ pods }) => pods)).toHaveLength(given.length);
      const order = groups.map(({ pods }) => pods.map(({ spec }) => spec.priority ?? 0));
      order.forEach((group, index) => {
        const later = order.slice(index + 1).flat();
        for (const one of group) for (const other of later) expect(one).toBeLessThan(other);
      });
    }),
  );
});
