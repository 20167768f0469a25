import { describe, expect, test } from "@jest/globals";
import { lowestPriorityFirst } from "../../src/strategies.js";
import { bestEffort, burstable, CRITICAL, guaranteed, namesOf, select } from "./pods.js";

describe("strategy kubelet", () => {
  test.each([
    {
      name: "of two that are enough the one with less memory goes",
      pods: [burstable("big", { cpu: "1", memory: "2Gi" }), burstable("small", { cpu: "1", memory: "1Gi" })],
      need: { cpu: 500 },
      victims: ["small"],
    },
    {
      name: "of complete equals the later one goes",
      pods: [burstable("first", { cpu: "1" }), burstable("second", { cpu: "1" })],
      need: { cpu: 500 },
      victims: ["second"],
    },
    {
      name: "the last of the list takes the place of the one that was picked",
      pods: ["a", "b", "c", "d"].map((name) => burstable(name, { cpu: name === "b" ? "2" : "1" })),
      need: { cpu: 3500 },
      victims: ["b", "c", "d"],
    },
    {
      name: "a Guaranteed pod goes only for what the others cannot give, and then the others give less",
      pods: [
        burstable("bu1", { cpu: "300m" }),
        burstable("bu2", { cpu: "100m" }),
        guaranteed("gu", { cpu: "500m", memory: "1Mi" }),
      ],
      need: { cpu: 600 },
      victims: ["bu2", "gu"],
    },
    {
      name: "BestEffort pods give their places",
      pods: [bestEffort("be"), burstable("bu", { cpu: "1" })],
      need: { pods: 1 },
      victims: ["be"],
    },
    {
      name: "of two with the same memory the one with less cpu goes, whatever is required",
      pods: [burstable("small", { cpu: "1", memory: "1Gi" }), burstable("big", { cpu: "2", memory: "1Gi" })],
      need: { pods: 1 },
      victims: ["small"],
    },
    { name: "nothing required, no victims", pods: [bestEffort("be")], need: {}, victims: [] },
  ])("$name", ({ pods, need, victims }) => {
    expect(namesOf(select(pods, need as Record<string, number>))).toEqual(victims);
  });

  test("when all together are too little no pod is evicted, and the kubelet's message names what is missing", () => {
    const { victims, failure } = select([burstable("bu", { cpu: "300m" })], { cpu: 500, memory: 1 });
    expect(victims).toEqual([]);
    expect(failure).toBe(
      "no set of running pods found to reclaim resources: [(res: cpu, q: 200), (res: memory, q: 1), ]",
    );
  });

  test.each([
    { name: "static", pod: burstable("other", { cpu: "1" }, { source: "file" }) },
    { name: "of the same priority", pod: burstable("other", { cpu: "1" }, { spec: { priority: CRITICAL } }) },
  ])("a pod that is $name is no candidate", ({ pod }) => {
    expect(select([pod], { cpu: 500 }).candidates).toEqual([]);
  });
});

describe("strategy lowest-priority-first", () => {
  const low = { spec: { priority: 10 } };
  const high = { spec: { priority: 1000 } };

  test.each([
    {
      name: "within a class the lower priority goes, though the other is nearer",
      pods: [
        burstable("low", { cpu: "200m" }, low),
        burstable("high", { cpu: "500m" }, high),
        burstable("none", { cpu: "300m" }),
      ],
      need: { cpu: 500 },
      victims: ["none", "low"],
    },
    {
      name: "a Guaranteed pod of low priority goes before a BestEffort one of high priority",
      pods: [bestEffort("be", high), guaranteed("gu", { cpu: "1", memory: "1Mi" }, low)],
      need: { pods: 1 },
      victims: ["gu"],
    },
    {
      name: "of one priority the lower class goes",
      pods: [guaranteed("gu", { cpu: "1", memory: "1Mi" }, low), burstable("bu", { cpu: "1" }, low)],
      need: { cpu: 1000 },
      victims: ["bu"],
    },
    {
      name: "a low one that the high one makes needless is spared",
      pods: [burstable("low", { cpu: "100m" }, low), burstable("high", { cpu: "500m" }, high)],
      need: { cpu: 500 },
      victims: ["high"],
    },
  ])("$name", ({ pods, need, victims }) => {
    expect(namesOf(select(pods, need as Record<string, number>, lowestPriorityFirst))).toEqual(victims);
  });

  test("has for each victim the rule of its choice", () => {
    const pods = [burstable("bu", { cpu: "1" }, low), guaranteed("gu", { cpu: "1", memory: "1Mi" })];
    expect([...select(pods, { cpu: 2000 }, lowestPriorityFirst).words.values()]).toEqual([
      "priority 0, Guaranteed",
      "priority 10, Burstable",
    ]);
  });
});
