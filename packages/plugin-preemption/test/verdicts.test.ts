import type { Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { candidateOf, inOrder } from "../src/candidate.js";
import { choose } from "../src/choose.js";
import { kubelet, type Selection } from "../src/index.js";
import { distance, requirementsText, subtract } from "../src/requirements.js";
import { repairOf } from "../src/rule.js";
import { grouped, pickByGroups } from "../src/strategies/groups.js";
import { isEnding } from "../src/strategies/least-disruption.js";
import { verdicts } from "../src/verdicts.js";
import { searchFailed } from "../src/words.js";
import {
  bestEffort,
  burstable,
  CRITICAL,
  candidates,
  critical,
  guaranteed,
  namesOf,
  required,
  select,
} from "./pods.js";

const preemptor = critical("crit", {});
const named = (list: readonly { readonly pod: Pod }[]) => list.map(({ pod }) => pod.metadata.name);

describe("what `hooklet explain` says of each pod", () => {
  const pods = [
    burstable("far", { cpu: "100m" }),
    burstable("near", { cpu: "400m" }),
    burstable("taken", { cpu: "500m" }),
    burstable("static", { cpu: "1" }, { source: "file" }),
    burstable("important", { cpu: "1" }, { spec: { priority: CRITICAL } }),
  ];
  const needs = { cpu: 500, memory: 10 };
  const rows = (selection: Selection) => verdicts(selection, pods, required(needs));

  test("victims come first, then who was spared, the nearest first, then who is protected, each with its reason", () => {
    const all = candidates(pods, required(needs));
    const victims = all.filter(({ pod }) => pod.metadata.name === "taken");
    const words = new Map(victims.map(({ uid }) => [uid, "it was its turn"]));
    expect(rows({ victims, candidates: all, words })).toEqual([
      {
        candidate: "pod/default/taken",
        verdict: "victim",
        why: "Burstable; gives cpu 500 of 500, memory 0 of 10; distance 1; it was its turn",
      },
      {
        candidate: "pod/default/near",
        verdict: "spared",
        why: "Burstable; gives cpu 400 of 500, memory 0 of 10; distance 1.04",
      },
      {
        candidate: "pod/default/far",
        verdict: "spared",
        why: "Burstable; gives cpu 100 of 500, memory 0 of 10; distance 1.64",
      },
      { candidate: "pod/default/static", verdict: "protected", why: "critical: it is static" },
      { candidate: "pod/default/important", verdict: "protected", why: `critical: priority ${CRITICAL}` },
    ]);
  });

  test("a mirror of a static pod is protected, whatever its priority", () => {
    const nobody = { victims: [], candidates: [], words: new Map() };
    const mirror = bestEffort("mirror", { annotations: { "kubernetes.io/config.mirror": "hash" } });
    expect(verdicts(nobody, [mirror], required(needs)).map(({ why }) => why)).toEqual([
      "critical: it mirrors a static pod",
    ]);
  });

  test("a pod that is not critical is protected where it is not below the other", () => {
    const nobody = { victims: [], candidates: [], words: new Map() };
    const same = [bestEffort("none"), burstable("some", {}, { spec: { priority: 7 } })];
    expect(verdicts(nobody, same, required(needs)).map(({ why }) => why)).toEqual([
      "priority not set is not below that of the other pod",
      "priority 7 is not below that of the other pod",
    ]);
  });

  test("a node fuller than 250 pods is cut, and the rest counted", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => bestEffort(`p${index}`));
    const nobody = { victims: [], candidates: [], words: new Map() };
    const of = (count: number) => verdicts(nobody, many(count), required(needs));
    expect(of(250)).toHaveLength(250);
    expect(of(250).at(-1)?.verdict).toBe("protected");
    expect(of(251)).toHaveLength(251);
    expect(of(251).at(-1)).toEqual({ candidate: "1 more pods", verdict: "not shown", why: "more than 250 pods" });
  });
});

describe("a choice that an earlier life of the agent had begun", () => {
  const pods = ["a", "b", "c"].map((name) => burstable(name, { cpu: "300m" }));
  const stops = (pod: Pod): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" as never },
  });
  const uid = (name: string) => pods.find(({ metadata }) => metadata.name === name)?.metadata.uid ?? "";
  const chosen = (all: readonly Pod[], cpu: number, begun: readonly string[]) =>
    choose(
      { preemptor, pods: all, requirements: required({ cpu }), strategy: kubelet, strategyName: "kubelet", now: 0 },
      begun,
    );

  test("goes on with those that stop already, and nobody else where they are enough", () => {
    const [a = bestEffort(""), ...rest] = pods;
    expect(named(chosen([stops(a), ...rest], 300, [uid("a"), uid("b")]).victims)).toEqual(["a"]);
  });

  test("takes the others that were chosen then, where they are needed", () => {
    const { victims, words, candidates: all } = chosen(pods, 600, [uid("a"), uid("b")]);
    expect(named(victims)).toEqual(["a", "b"]);
    expect([...words.values()]).toEqual(Array(2).fill("chosen before the agent was restarted"));
    expect(named(all)).toEqual(["a", "b", "c"]);
  });

  test("takes somebody else only for what is missing then", () => {
    const { victims, words } = chosen(pods, 900, [uid("a"), uid("b")]);
    expect(named(victims)).toEqual(["a", "b", "c"]);
    expect([...words.keys()]).toEqual([uid("a"), uid("b")]);
    expect(named(chosen(pods, 500, [uid("a")]).victims)).toEqual(["a", "c"]);
  });

  test("fails as any other when all are too little", () => {
    const { victims, failure, candidates: all } = chosen(pods, 1000, [uid("a")]);
    expect([victims, named(all)]).toEqual([[], ["a", "b", "c"]]);
    expect(failure).toBe("no set of running pods found to reclaim resources: [(res: cpu, q: 100), ]");
  });

  test("begins anew where nobody of them is left, or nothing had begun", () => {
    expect(named(chosen(pods, 300, ["gone"]).victims)).toEqual(["c"]);
    expect(named(chosen(pods, 300, []).victims)).toEqual(["c"]);
  });
});

describe("whose business a rejection is", () => {
  const short = {
    reason: "OutOfcpu",
    message: "",
    shortfall: { resource: "cpu", requested: 500, used: 800, capacity: 1000 },
  };
  const other = { reason: "NodeAffinity", message: "" };

  test("a critical pod that lacks resources alone gets what is missing freed", () => {
    expect(repairOf(preemptor, [short as never])).toEqual({ requirements: [{ resource: "cpu", quantity: 300 }] });
  });

  test("where anything else is wrong that stays", () => {
    expect(repairOf(preemptor, [short as never, other])).toEqual({ rejections: [other] });
  });

  test("a pod that is not critical displaces nobody", () => {
    expect(repairOf(bestEffort("be"), [short as never])).toEqual({ rejections: [short] });
  });
});

describe("a pod ends anyway", () => {
  const now = Date.parse("2030-01-01T12:00:00Z");
  const started = { status: { phase: "Running", startTime: "2030-01-01T11:59:00Z" } };
  const due = (activeDeadlineSeconds: number | undefined, more: object = started) =>
    isEnding(
      burstable("p", {}, {
        spec: {
          terminationGracePeriodSeconds: 30,
          ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
        },
        ...more,
      } as never),
      now,
    );

  test("when its deadline comes before a kill would be over", () => {
    expect([due(90), due(91), due(10), due(undefined)]).toEqual([true, false, true, false]);
  });

  test("not when nobody knows when it began", () => {
    expect(due(10, {})).toBe(false);
  });

  test("when it has ended, or is being deleted", () => {
    expect(["Succeeded", "Failed", "Running"].map((phase) => due(undefined, { status: { phase } }))).toEqual([
      true,
      true,
      false,
    ]);
    const pod = bestEffort("p");
    expect(
      isEnding({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" as never } }, now),
    ).toBe(true);
  });
});

describe("the order of pods", () => {
  const at = (name: string, creationTimestamp: string | undefined, uid = name): Pod => {
    const pod = bestEffort(name);
    const { creationTimestamp: _, annotations: __, ...metadata } = pod.metadata;
    return {
      ...pod,
      metadata: { ...metadata, uid, ...(creationTimestamp && { creationTimestamp: creationTimestamp as never }) },
    };
  };
  const names = (...pods: readonly Pod[]) => inOrder(pods).map(({ metadata }) => `${metadata.name} ${metadata.uid}`);

  test("is by age, then by name, then by uid, whichever way they are listed", () => {
    const all = [
      at("b", "2026-01-01T00:00:01Z"),
      at("a", "2026-01-01T00:00:02Z"),
      at("c", "2026-01-01T00:00:01Z", "2"),
      at("c", "2026-01-01T00:00:01Z", "1"),
    ];
    const expected = ["b b", "c 1", "c 2", "a a"];
    expect(names(...all)).toEqual(expected);
    expect(names(...all.toReversed())).toEqual(expected);
  });

  test("goes by when a static pod was seen; without any time a pod is the oldest", () => {
    const seen = at("seen", undefined);
    const annotations = { "kubernetes.io/config.seen": "2026-01-01T00:00:01Z" };
    expect(
      names(
        at("late", "2026-01-01T00:00:02Z"),
        { ...seen, metadata: { ...seen.metadata, annotations } },
        at("old", undefined),
      ),
    ).toEqual(["old old", "seen seen", "late late"]);
  });
});

describe("what must be freed", () => {
  test("loses what goes, of each resource; what is freed vanishes", () => {
    const left = subtract(required({ cpu: 500, memory: 10, gpu: 1 }), [{ requests: { cpu: 499, memory: 10 } }]);
    expect(left).toEqual(required({ cpu: 1, gpu: 1 }));
  });

  test("is as far away as the squares of what is missing of each, at most 1 for each", () => {
    expect(
      [{}, { cpu: 250 }, { cpu: 500 }, { cpu: 900, memory: 5 }].map((one) =>
        distance(required({ cpu: 500, memory: 10 }), one),
      ),
    ).toEqual([2, 1.25, 1, 0.25]);
  });

  test("is told in the kubelet's words", () => {
    expect(requirementsText(required({ cpu: 1, memory: 2 }))).toBe("[(res: cpu, q: 1), (res: memory, q: 2), ]");
    expect(searchFailed("x")).toBe("preemption: error finding a set of pods to preempt: x");
  });
});

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
    const groups = list.map((one) => [one]);
    expect(named(pickByGroups(groups, required({ cpu: 300 })))).toEqual(["a"]);
    expect(named(pickByGroups(groups, required({ cpu: 301 })))).toEqual(["a", "b"]);
    expect(named(pickByGroups([], required({ cpu: 1 })))).toEqual([]);
  });
});

describe("a strategy", () => {
  const pods = [burstable("a", { cpu: "1" })];

  test.each([
    { name: "with its reason", nobody: "it is lunch time", says: "it is lunch time" },
    { name: "without a reason", nobody: "", says: "it gives no reason" },
    { name: "with a reason that is none", nobody: 7, says: "it gives no reason" },
  ])("may decline $name", ({ nobody, says }) => {
    const { victims, failure } = select(pods, { cpu: 500 }, (() => ({ nobody })) as never);
    expect(victims).toEqual([]);
    expect(failure).toBe(`strategy "tested" evicts nobody: ${says}`);
  });

  test.each([
    { name: "null", answer: null, says: "returned null" },
    { name: "an object that declines nothing", answer: {}, says: "returned object" },
  ])("that answers $name is refused", ({ answer, says }) => {
    expect(select(pods, { cpu: 500 }, (() => answer) as never).failure).toBe(
      `strategy "tested" ${says}, expected an array of victims. Mend it, or choose another one for "victims".`,
    );
  });

  test("gives its own words on each victim, or none", () => {
    const two = [...pods, burstable("b", { cpu: "1" })];
    const { words } = select(two, { cpu: 1500 }, ({ candidates: [a, b] }) => [
      { uid: a?.uid ?? "", why: "why not" },
      { uid: b?.uid ?? "" },
    ]);
    expect([...words.values()]).toEqual(["why not"]);
  });

  test("whose pod has a status with a class that there is not gets it not offered, as in the kubelet", () => {
    const odd = bestEffort("odd");
    const status = { ...odd.status, qosClass: "Odd" } as never;
    expect(select([{ ...odd, status }], { pods: 1 }).candidates).toEqual([]);
  });
});

test("a candidate says what strategies go by, and cannot be changed", () => {
  const pod = guaranteed("gu", { cpu: "1", memory: "1Mi" }, { spec: { priority: 5 } });
  const candidate = candidateOf(pod, ["cpu", "memory", "pods"]);
  expect(candidate).toEqual({
    uid: pod.metadata.uid,
    name: "default/gu",
    pod,
    qosClass: "Guaranteed",
    priority: 5,
    requests: { cpu: 1000, memory: 1024 ** 2, pods: 1 },
  });
  expect([Object.isFrozen(candidate), Object.isFrozen(candidate.requests)]).toEqual([true, true]);
  expect(candidateOf(bestEffort("be"), []).priority).toBe(0);
  expect(namesOf(select([pod], { cpu: 1 }))).toEqual(["gu"]);
});
