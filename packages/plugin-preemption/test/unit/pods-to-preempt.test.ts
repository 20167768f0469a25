import type { Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { grouped, podsToPreempt } from "../../src/pods-to-preempt.js";
import { burstable, candidates, required } from "./pods.js";

const named = (list: readonly { readonly pod: Pod }[]) => list.map(({ pod }) => pod.metadata.name);

describe("groups", () => {
  const pods = [burstable("a", { cpu: "300m" }), burstable("b", { cpu: "300m" }), burstable("c", { cpu: "300m" })];
  const list = candidates(pods, required({ cpu: 1 }));

  test("are of equal rank, the lowest first, the first number before the second; order within is kept", () => {
    const ranks: Record<string, readonly number[]> = { a: [1, 0], b: [0, 9], c: [1, 0] };
    expect(grouped(list, ({ pod }) => ranks[pod.metadata.name] ?? []).map(named)).toEqual([["b"], ["a", "c"]]);
    const second: Record<string, readonly number[]> = { a: [0, 2], b: [0, 1], c: [0, 10] };
    expect(grouped(list, ({ pod }) => second[pod.metadata.name] ?? []).map(named)).toEqual([["b"], ["a"], ["c"]]);
    const alike: Record<string, readonly number[]> = { a: [11, 1], b: [1, 11], c: [1, 11] };
    expect(grouped(list, ({ pod }) => alike[pod.metadata.name] ?? []).map(named)).toEqual([["b", "c"], ["a"]]);
  });

  test("give only what cheaper ones cannot", () => {
    const give = (some: typeof list, cpu: number) =>
      podsToPreempt(some, required({ cpu }), ({ pod }) => [pod.metadata.name.charCodeAt(0)]);
    expect(named(give(list, 300))).toEqual(["a"]);
    expect(named(give(list, 301))).toEqual(["a", "b"]);
    expect(named(give([], 1))).toEqual([]);
  });
});
