import { describe, expect, test } from "@jest/globals";
import {
  candidatesFor,
  kubelet,
  largestUsage,
  lowestPriorityFirst,
  type RankingStrategy,
  rank,
  statisticsByUid,
} from "../src/index.js";
import { bytes, oneDisk, pod, statisticsOf, withPriority } from "./pods.js";

const over = pod("over", { memory: "100Mi" }, withPriority(10));
const within = pod("within", { memory: "4Gi" }, withPriority(-1));
const unknown = pod("unknown", { memory: "1Gi" }, withPriority(100));
const pods = [within, over, unknown];
const statistics = statisticsByUid([
  statisticsOf(over, { memory: bytes("200Mi") }),
  statisticsOf(within, { memory: bytes("3Gi") }),
]);
const signal = "memory.available";
const input = {
  signal,
  resource: "memory",
  layout: oneDisk,
  candidates: candidatesFor(signal, pods, statistics, oneDisk),
} as const;

function order(strategy: RankingStrategy): readonly string[] {
  return rank(input, strategy, "tested").order.map((one) => one.pod.metadata.name);
}

test.each([
  { name: "kubelet: no statistics, over its request, then the rest", strategy: kubelet, wanted: "unknown over within" },
  {
    name: "lowest-priority-first: the request plays no part",
    strategy: lowestPriorityFirst,
    wanted: "within over unknown",
  },
  { name: "largest-usage: who uses most, the unknown last", strategy: largestUsage, wanted: "within over unknown" },
])("$name", ({ strategy, wanted }) => {
  expect(order(strategy).join(" ")).toBe(wanted);
});

describe("a custom strategy", () => {
  test("is followed, and its words reach explain", () => {
    const reversed: RankingStrategy = ({ candidates }) =>
      [...candidates].reverse().map(({ uid }) => ({ uid, why: "came last" }));
    const ranking = rank(input, reversed, "reversed");
    expect(ranking.failure).toBeUndefined();
    expect(ranking.order.map(({ pod: { metadata } }) => metadata.name)).toEqual(["unknown", "over", "within"]);
    expect(ranking.words.get(over.metadata.uid)).toBe("came last");
  });

  test.each<{ name: string; strategy: unknown; says: string }>([
    { name: "leaves out a pod", strategy: () => [], says: "left out pod default/within" },
    {
      name: "names a pod twice",
      strategy: ({ candidates: [first] }: typeof input) => [first, first],
      says: "twice",
    },
    {
      name: "names a pod that may not go",
      strategy: () => [{ uid: "vital" }],
      says: 'named "vital", which may not go',
    },
    { name: "answers with something else", strategy: () => "all", says: "returned string, expected an array of pods" },
    {
      name: "throws",
      strategy: () => {
        throw new Error("boom");
      },
      says: "failed: boom",
    },
    {
      name: "writes on what it is given",
      strategy: ({ candidates }: typeof input) => {
        Object.assign(candidates[0] ?? {}, { usage: 0 });
        return candidates;
      },
      says: "failed: Cannot assign to read only property",
    },
  ])("that $name is not followed: the kubelet's order holds, and it is told", ({ strategy, says }) => {
    const { order: ranked, failure } = rank(input, strategy as RankingStrategy, "mine");
    expect(ranked.map((one) => one.pod.metadata.name)).toEqual(["unknown", "over", "within"]);
    expect(failure).toContain('ranking strategy "mine" ');
    expect(failure).toContain(says);
  });
});
