import type { Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { candidatesFor } from "../../src/candidate.js";
import { type VictimsStrategy, victimsFault } from "../../src/index.js";
import { kubelet } from "../../src/internal.js";
import { choose } from "../../src/select.js";
import { bestEffort, burstable, critical, namesOf, required, select } from "./pods.js";

const preemptor = critical("crit", {});
const named = (list: readonly { readonly pod: Pod }[]) => list.map(({ pod }) => pod.metadata.name);

describe("what a strategy answers is checked", () => {
  const pods = [
    burstable("a", { cpu: "300m" }),
    burstable("b", { cpu: "300m" }),
    burstable("etcd", { cpu: "1" }, { source: "file" }),
  ];
  const uid = (index: number): string => pods[index]?.metadata.uid ?? "";
  const bad = (answer: unknown): VictimsStrategy => (() => answer) as VictimsStrategy;

  test.each([
    {
      name: "too little",
      strategy: bad([{ uid: uid(0) }]),
      says: "frees too little: [(res: cpu, q: 200), ] is still missing",
    },
    {
      name: "a pod that is no candidate",
      strategy: bad([{ uid: uid(2) }]),
      says: `chose "${uid(2)}", which is no candidate`,
    },
    { name: "a pod twice", strategy: bad([{ uid: uid(0) }, { uid: uid(0) }]), says: "chose pod default/a twice" },
    {
      name: "a promise",
      strategy: bad(Promise.resolve([])),
      says: "returned a promise, expected an array of victims at once",
    },
    { name: "no array", strategy: bad("a"), says: "returned string, expected an array of victims" },
    { name: "no uid", strategy: bad([null]), says: "chose a victim without uid, which is no candidate" },
    {
      name: "a reason that is no text",
      strategy: bad([{ uid: uid(0), why: 1 }]),
      says: "gave a reason for pod default/a that is no text",
    },
    {
      name: "an error",
      strategy: () => {
        throw new Error("no idea");
      },
      says: "failed: no idea",
    },
    {
      name: "candidates made greater than they are",
      strategy: ({ candidates: [first] }) => {
        if (first !== undefined) Object.assign(first.requests, { cpu: 1e9 });
        return first === undefined ? [] : [first];
      },
      says: "failed: Cannot assign to read only property 'cpu' of object '#<Object>'",
    },
    {
      name: "requirements made smaller than they are",
      strategy: ({ requirements }) => {
        (requirements as unknown[]).length = 0;
        return [];
      },
      says: "frees too little: [(res: cpu, q: 500), ] is still missing",
    },
  ])("$name: no pod is evicted, and the failure names the strategy", ({ strategy, says }) => {
    const { victims, failure, isFault } = select(pods, { cpu: 500 }, strategy);
    expect(victims).toEqual([]);
    expect(isFault).toBe(true);
    expect(failure).toBe(`strategy "tested" ${says}. Fix it, or choose another one for "victims".`);
  });

  test("candidates themselves are an answer, in the order that they are given", () => {
    const answer = select(pods, { cpu: 500 }, ({ candidates }) => candidates.toReversed());
    expect(namesOf(answer)).toEqual(["b", "a"]);
  });
});

describe("a strategy", () => {
  const pods = [burstable("a", { cpu: "1" })];

  test.each([
    { name: "with its reason", decline: "it is lunch time", says: "it is lunch time" },
    { name: "without a reason", decline: "", says: "it gives no reason" },
    { name: "with a reason that is none", decline: 7, says: "it gives no reason" },
  ])("may decline $name", ({ decline, says }) => {
    const { victims, failure, isFault } = select(pods, { cpu: 500 }, (() => ({ decline })) as never);
    expect(victims).toEqual([]);
    expect(isFault).toBeUndefined();
    expect(failure).toBe(`strategy "tested" evicts no pod: ${says}`);
  });

  test.each([
    { name: "null", answer: null, says: "returned null" },
    { name: "an object that declines nothing", answer: {}, says: "returned object" },
  ])("that answers $name is refused", ({ answer, says }) => {
    expect(select(pods, { cpu: 500 }, (() => answer) as never).failure).toBe(
      `strategy "tested" ${says}, expected an array of victims. Fix it, or choose another one for "victims".`,
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

  test("continues with the pods that stop already, and takes no other where they are enough", () => {
    const [a = bestEffort(""), ...rest] = pods;
    expect(named(chosen([stops(a), ...rest], 300, [uid("a"), uid("b")]).victims)).toEqual(["a"]);
  });

  test("takes the others that were chosen then, where they are needed", () => {
    const { victims, words, candidates: all } = chosen(pods, 600, [uid("a"), uid("b")]);
    expect(named(victims)).toEqual(["a", "b"]);
    expect([...words.values()]).toEqual(Array(2).fill("chosen before the agent was restarted"));
    expect(named(all)).toEqual(["a", "b", "c"]);
  });

  test("takes another one only for what is missing then", () => {
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

  test("starts again where none of them is left, or nothing had begun", () => {
    expect(named(chosen(pods, 300, ["gone"]).victims)).toEqual(["c"]);
    expect(named(chosen(pods, 300, []).victims)).toEqual(["c"]);
  });
});

test.each([
  { name: "a victim that frees enough", answer: (uid: string) => [{ uid }], says: undefined },
  { name: "to decline", answer: () => ({ decline: "not today" }), says: undefined },
  { name: "a pod that is no candidate", answer: () => [{ uid: "x" }], says: 'chose "x", which is no candidate' },
])("a test of a strategy learns what is wrong with an answer: $name", ({ answer, says }) => {
  const [pods, requirements] = [[burstable("a", { cpu: "300m" })], [{ resource: "cpu", quantity: 300 }]];
  const input = { preemptor, candidates: candidatesFor(preemptor, pods, requirements), requirements, now: 0 };
  expect(victimsFault(answer(pods[0]?.metadata.uid ?? ""), input)).toBe(says);
});
