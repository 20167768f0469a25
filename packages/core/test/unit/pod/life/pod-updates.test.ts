import type { Pod } from "@hooklet/manifest";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { isDeleted, PodUpdates } from "../../../../src/pod/life/pod-updates.js";
import type { PodWorker } from "../../../../src/pod/life/worker.js";
import { aContainer, aPod } from "../../../pod/pods.js";

const other = aPod({ containers: [aContainer("main", { image: "other" })] });
const labelled = aPod({}, { labels: { tier: "web" } });
const deleted = aPod({}, { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 });

let log: unknown[];
let applies = false;
let isReplaced = false;
beforeEach(() => {
  log = [];
  applies = false;
  isReplaced = false;
});

const updates = new PodUpdates({
  applies: (before, after) => {
    log.push(`asked for ${before.spec.containers[0]?.image} to ${after.spec.containers[0]?.image}`);
    return applies;
  },
  isReplaced: () => isReplaced,
  terminate: (_, cause, grace) => log.push([cause.kind, grace]),
});

function worker({ life = "active", removal = undefined as object | undefined } = {}): PodWorker {
  return {
    pod: aPod(),
    state: { life: { kind: life }, removal },
    dispatch: ({ type, pod }: { type: string; pod: Pod }) => log.push([type, pod]),
  } as never;
}

describe("a running pod", () => {
  test("that is wanted as before goes on without a word", () => {
    expect(updates.leaves(worker(), aPod(), undefined)).toBe(false);
    expect(log).toEqual([]);
  });

  test("of which only labels change goes on with them; no plugin is asked", () => {
    expect(updates.leaves(worker(), labelled, undefined)).toBe(false);
    expect(log).toEqual([["updated", labelled]]);
  });

  test("with another spec goes on when a plugin applies that", () => {
    applies = true;
    expect(updates.leaves(worker(), other, undefined)).toBe(false);
    expect(log).toEqual(["asked for host to other", ["updated", other]]);
  });

  test("with another spec is replaced when no plugin applies that", () => {
    expect(updates.leaves(worker(), other, undefined)).toBe(true);
    expect(log).toEqual(["asked for host to other", ["replaced", undefined]]);
  });

  test("with another spec is replaced before it is admitted, whatever plugins could apply", () => {
    applies = true;
    expect(updates.leaves(worker({ life: "pending" }), other, undefined)).toBe(true);
    expect(log).toEqual([["replaced", undefined]]);
  });

  test("that is not wanted any more is deleted, within the time that the deletion says", () => {
    expect(updates.leaves(worker(), undefined, 3)).toBe(false);
    expect(log).toEqual([["deleted", 3]]);
  });

  test("is replaced when another one is wanted under its name", () => {
    isReplaced = true;
    expect(updates.leaves(worker(), undefined, undefined)).toBe(false);
    expect(log).toEqual([["replaced", undefined]]);
  });

  test("that is being deleted at its source is deleted, within the time that the source says", () => {
    expect(updates.leaves(worker({ removal: {} }), deleted, 99)).toBe(false);
    expect(log).toEqual([["deleted", 5]]);
    expect([isDeleted(deleted), isDeleted(aPod())]).toEqual([true, false]);
  });

  test("that goes leaves its place to the one that is wanted under its uid", () => {
    expect(updates.leaves(worker({ removal: {} }), aPod(), undefined)).toBe(true);
    expect(log).toEqual([]);
  });
});

test("a pod that comes back is counted once, however often its place is wanted", () => {
  const [one, another] = [worker(), worker()];
  expect([updates.returns(one), updates.returns(one), updates.returns(another)]).toEqual([true, false, true]);
});

test.each<[string, PodWorker, boolean]>([
  ["runs", worker(), true],
  ["is not admitted yet", worker({ life: "pending" }), false],
  ["is to go", worker({ removal: {} }), false],
])("an update in place of a pod that %s", (_, of, isDone) => {
  applies = true;
  expect(updates.update(of, other)).toBe(isDone);
  expect(log).toEqual(isDone ? ["asked for host to other", ["updated", other]] : []);
});
