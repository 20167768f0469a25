/** Which dead containers and sandboxes go, in which order, and why. */
import { describe, expect, test } from "@jest/globals";
import {
  type ContainerPolicy,
  containersToRemove,
  type SeenContainer,
  sandboxesToRemove,
} from "../../src/dead-containers.js";

const NOW = 1000;
const pods = {
  allSourcesReady: true,
  isDeleted: (uid: string) => uid === "gone",
  isTerminated: (uid: string) => uid === "ended",
  evictTerminated: false,
};

/** `web/app@3`: container app of pod web, created at 3. */
function container(text: string, state: SeenContainer["state"] = "exited"): SeenContainer {
  const [, podUid = "", name = "", created] = /^(.*)\/(.*)@(\d+)$/.exec(text) ?? [];
  return { id: text, podUid, name, created: Number(created), state };
}

function removed(
  all: readonly SeenContainer[],
  policy: Partial<ContainerPolicy> = {},
  more: Partial<typeof pods> = {},
) {
  const rules = { minAge: 0, maxPerPodContainer: -1, maxContainers: -1, ...policy };
  return containersToRemove(all, rules, { ...pods, ...more }, NOW).map(
    ({ container: { id }, why, stopFirst }) => `${id}: ${why}${stopFirst ? ", stopped first" : ""}`,
  );
}

const three = ["web/app@2", "web/app@3", "web/app@1"].map((text) => container(text));

describe("of dead containers", () => {
  test("all of a pod that is gone go, the oldest first, however many may be kept", () => {
    const gone = ["gone/app@2", "gone/app@3", "gone/app@1"].map((text) => container(text));
    expect(removed([...three, ...gone], { maxPerPodContainer: 5 })).toEqual([
      "gone/app@1: its pod is gone",
      "gone/app@2: its pod is gone",
      "gone/app@3: its pod is gone",
    ]);
  });

  test("those of an unknown pod stay until every source of pods was read", () => {
    expect(removed([container("gone/app@1")], {}, { allSourcesReady: false })).toEqual([]);
  });

  test("those of a pod that has ended go where that is asked for", () => {
    const ended = [container("ended/app@1")];
    expect(removed(ended, {})).toEqual([]);
    expect(removed(ended, {}, { evictTerminated: true })).toEqual(["ended/app@1: its pod has ended"]);
  });

  test("the newest of each container of a pod are kept, the oldest go first", () => {
    const others = [container("web/side@1"), container("api/app@1")];
    expect(removed([...three, ...others], { maxPerPodContainer: 1 })).toEqual([
      "web/app@1: more than 1 of this container",
      "web/app@2: more than 1 of this container",
    ]);
    expect(removed(three, { maxPerPodContainer: 0 })).toHaveLength(3);
  });

  test("more than the node keeps go: first what each container has over its share, then the oldest of all", () => {
    const others = [container("api/app@5"), container("db/app@4")];
    expect(removed([...three, ...others], { maxContainers: 5 })).toEqual([]);
    const why = "more than 2 dead containers on the node";
    expect(removed([...three, ...others], { maxContainers: 2 })).toEqual([
      `web/app@1: ${why}`,
      `web/app@2: ${why}`,
      `web/app@3: ${why}`,
    ]);
    expect(removed(three, { maxContainers: 2 })).toEqual([`web/app@1: ${why}`]);
  });

  test("the oldest of all go from the oldest on", () => {
    const all = ["a/x@3", "b/x@1", "c/x@4", "d/x@2"].map((text) => container(text));
    expect(removed(all, { maxContainers: 1 }).map((text) => text.split(":")[0])).toEqual(["b/x@1", "d/x@2", "a/x@3"]);
  });

  test("a running one stays, a created one is removed, and one of unknown state is stopped first", () => {
    const all = [container("gone/a@1", "running"), container("gone/b@1", "created"), container("gone/c@1", "unknown")];
    expect(removed(all)).toEqual(["gone/b@1: its pod is gone", "gone/c@1: its pod is gone, stopped first"]);
  });

  test("one younger than the minimum age stays, one from the future too", () => {
    const all = ["gone/a@990", "gone/b@991", "gone/c@5000"].map((text) => container(text));
    expect(removed(all, { minAge: 10 })).toEqual(["gone/a@990: its pod is gone"]);
    expect(removed([container("gone/c@5000")], { minAge: 0 })).toHaveLength(1);
  });
});

describe("of sandboxes", () => {
  const sandbox = (podUid: string, created: number, parts: object = {}) => ({
    id: `${podUid}@${created}`,
    podUid,
    created,
    ready: false,
    hasContainers: false,
    ...parts,
  });
  const reported = (all: readonly ReturnType<typeof sandbox>[], more: Partial<typeof pods> = {}) =>
    sandboxesToRemove(all, { ...pods, ...more }).map(({ sandbox: { id }, why }) => `${id}: ${why}`);

  test("the newest of a pod stays, older ones go from the oldest on", () => {
    expect(reported([sandbox("web", 2), sandbox("web", 3), sandbox("web", 1), sandbox("api", 1)])).toEqual([
      "web@1: its pod has a newer sandbox",
      "web@2: its pod has a newer sandbox",
    ]);
  });

  test("all of a pod that is gone go", () => {
    expect(reported([sandbox("gone", 2), sandbox("gone", 1)])).toEqual([
      "gone@1: its pod is gone",
      "gone@2: its pod is gone",
    ]);
    expect(reported([sandbox("ended", 1)])).toEqual([]);
    expect(reported([sandbox("ended", 1)], { evictTerminated: true })).toEqual(["ended@1: its pod has ended"]);
  });

  test("one that is ready, or has a container, stays", () => {
    expect(reported([sandbox("gone", 1, { ready: true }), sandbox("gone", 2, { hasContainers: true })])).toEqual([]);
  });
});
