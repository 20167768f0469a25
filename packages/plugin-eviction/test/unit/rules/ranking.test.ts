import { describe, expect, test } from "@jest/globals";
import { type RankingStrategy, rankingFault } from "../../../src/index.js";
import {
  candidatesFor,
  kubelet,
  largestUsage,
  lowestPriorityFirst,
  rank,
  statisticsByUid,
} from "../../../src/internal.js";
import { bytes, oneDisk, pod, statisticsOf, withPriority } from "../pods.js";

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
  { name: "largest-usage: the largest usage, the unknown last", strategy: largestUsage, wanted: "within over unknown" },
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
      name: "gives a reason that is no text",
      strategy: ({ candidates }: typeof input) => candidates.map(({ uid }) => ({ uid, why: 7 })),
      says: "that is no text",
    },
    {
      name: "throws",
      strategy: () => {
        throw new Error("boom");
      },
      says: "failed: boom",
    },
    {
      name: "names a pod by something that is no uid",
      strategy: () => [{ uid: 10n }],
      says: "named a pod without uid, which may not go",
    },
    {
      name: "answers later",
      strategy: async ({ candidates }: typeof input) => candidates,
      says: "returned a promise, expected an array of pods at once",
    },
    {
      name: "throws what has no text",
      strategy: () => {
        throw Object.create(null);
      },
      says: "failed: something that has no text",
    },
    {
      name: "writes on what it is given",
      strategy: ({ candidates }: typeof input) => {
        Object.assign(candidates[0] ?? {}, { usage: 0 });
        return candidates;
      },
      says: "failed: Cannot assign to read only property",
    },
  ])("that $name is not used: the kubelet's order is used, and that is reported", ({ strategy, says }) => {
    const { order: ranked, failure } = rank(input, strategy as RankingStrategy, "mine");
    expect(ranked.map((one) => one.pod.metadata.name)).toEqual(["unknown", "over", "within"]);
    expect(failure).toContain('ranking strategy "mine" ');
    expect(failure).toContain(says);
  });

  test("may sort, cut and overwrite its lists without effect on others", () => {
    const greedy: RankingStrategy = (given) => {
      Object.assign(given.layout, { dedicatedImageFs: true });
      const order = [...given.candidates];
      (given.candidates as unknown[]).length = 0;
      return order;
    };
    expect(rank(input, greedy, "greedy").order).toEqual(input.candidates);
    expect(oneDisk).toEqual({ dedicatedImageFs: false, splitContainerImageFs: false });
  });

  test("whose answer never ends is read up to the first pod that comes twice", () => {
    const endless: RankingStrategy = ({ candidates }) => {
      const answer = [...candidates];
      answer[Symbol.iterator] = function* () {
        for (;;) yield candidates[0] as never;
      } as never;
      return answer;
    };
    expect(rank(input, endless, "endless").failure).toContain("named pod default/within twice");
  });

  test("of many words is cut short: they stay in memory, and go into an event", () => {
    const talkative: RankingStrategy = ({ candidates }) =>
      candidates.map(({ uid }) => ({ uid, why: "x".repeat(1_000_000) }));
    expect(rank(input, talkative, "talkative").words.get(over.metadata.uid)?.length).toBeLessThan(600);
    const loud = (): never => {
      throw new Error("y".repeat(1_000_000));
    };
    expect(rank(input, loud, "loud").failure?.length).toBeLessThan(800);
  });
});

test("a test of a strategy learns what is wrong with an answer", () => {
  expect(rankingFault(input.candidates.slice(1), input)).toMatch(/^left out pod default\//);
  expect(rankingFault(input.candidates.toReversed(), input)).toBeUndefined();
});
