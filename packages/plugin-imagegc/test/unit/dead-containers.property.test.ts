import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { containersToRemove, type PodStates, type SeenContainer } from "../../src/internal.js";

const containers: fc.Arbitrary<SeenContainer[]> = fc
  .array(
    fc.record({
      podUid: fc.constantFrom("p0", "p1", "p2"),
      name: fc.constantFrom("a", "b"),
      created: fc.integer({ min: 0, max: 100 }),
      state: fc.constantFrom("created" as const, "running" as const, "exited" as const, "unknown" as const),
    }),
    { maxLength: 30 },
  )
  .map((list) => list.map((one, index) => ({ ...one, id: String(index) })));

const policies = fc.record({
  minAge: fc.integer({ min: 0, max: 50 }),
  maxPerPodContainer: fc.integer({ min: -1, max: 4 }),
  maxContainers: fc.integer({ min: -1, max: 12 }),
});

const pods = (parts: Partial<PodStates> = {}): PodStates => ({
  allSourcesReady: true,
  isDeleted: (uid) => uid === "p0",
  isTerminated: (uid) => uid === "p1",
  evictTerminated: false,
  ...parts,
});

const NOW = 100;
const removedOf = (...given: Parameters<typeof containersToRemove>) =>
  containersToRemove(...given).map(({ container }) => container);

describe("for any dead containers and limits", () => {
  test("none that runs or is too young goes, and none twice", () => {
    fc.assert(
      fc.property(containers, policies, (list, policy) => {
        const removed = removedOf(list, policy, pods(), NOW);
        return (
          new Set(removed).size === removed.length &&
          removed.every(({ state, created }) => state !== "running" && NOW - created >= policy.minAge)
        );
      }),
    );
  });

  test("of a pod that is still there no container is left without its newest, while a limit allows one", () => {
    fc.assert(
      fc.property(containers, policies, (list, given) => {
        const policy = { ...given, maxContainers: -1, maxPerPodContainer: Math.max(1, given.maxPerPodContainer) };
        const removed = new Set(removedOf(list, policy, pods({ isDeleted: () => false }), NOW));
        const left = new Set(list.filter((one) => !removed.has(one)).map(({ podUid, name }) => `${podUid}/${name}`));
        return list.every(({ podUid, name }) => left.has(`${podUid}/${name}`));
      }),
    );
  });

  test("no more are left than the limit on the node allows, but for those that may not go", () => {
    fc.assert(
      fc.property(containers, policies, (list, given) => {
        const policy = { ...given, maxContainers: Math.max(0, given.maxContainers) };
        const removed = new Set(removedOf(list, policy, pods(), NOW));
        const left = list.filter(
          (one) => !removed.has(one) && one.state !== "running" && NOW - one.created >= policy.minAge,
        );
        return left.length <= policy.maxContainers;
      }),
    );
  });

  test("the same node gives the same answer for any order of the list", () => {
    fc.assert(
      fc.property(containers, policies, (list, policy) => {
        // Of two that were created in the same instant neither is newer.
        const apart = list.map((one, index) => ({ ...one, created: one.created * 100 + index }));
        const ids = (of: SeenContainer[]) =>
          removedOf(of, policy, pods(), NOW * 100)
            .map(({ id }) => id)
            .sort()
            .join();
        return ids(apart) === ids([...apart].reverse());
      }),
    );
  });
});

test("before all sources are ready no pod counts as gone", () => {
  const list: SeenContainer[] = [{ id: "1", podUid: "p0", name: "a", created: 0, state: "exited" }];
  const policy = { minAge: 0, maxPerPodContainer: 1, maxContainers: -1 };
  expect(removedOf(list, policy, pods({ allSourcesReady: false }), NOW)).toEqual([]);
  expect(removedOf(list, policy, pods(), NOW)).toEqual(list);
});
