import { describe, expect, test } from "@jest/globals";
import { leastDisruption, lowestPriorityFirst, type VictimsStrategy } from "../src/index.js";
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
    { name: "nothing required, nobody goes", pods: [bestEffort("be")], need: {}, victims: [] },
  ])("$name", ({ pods, need, victims }) => {
    expect(namesOf(select(pods, need as Record<string, number>))).toEqual(victims);
  });

  test("when all together are too little nobody goes, and the kubelet's words say what is missing", () => {
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

  test("says of each victim by what it was chosen", () => {
    const pods = [burstable("bu", { cpu: "1" }, low), guaranteed("gu", { cpu: "1", memory: "1Mi" })];
    expect([...select(pods, { cpu: 2000 }, lowestPriorityFirst).words.values()]).toEqual([
      "priority 0, Guaranteed",
      "priority 10, Burstable",
    ]);
  });
});

describe("strategy least-disruption", () => {
  const now = Date.parse("2030-01-01T12:00:00Z");
  const since = (time: string) => ({
    status: {
      phase: "Running",
      startTime: time,
      containerStatuses: [
        { name: "main", ready: true, image: "", imageID: "", restartCount: 0, state: { running: { startedAt: time } } },
      ],
    },
  });
  const old = since("2030-01-01T00:00:00Z");
  const young = since("2030-01-01T11:55:00Z");
  const younger = since("2030-01-01T11:58:00Z");
  const ending = { ...young, status: { ...young.status, phase: "Failed" } };

  test.each([
    {
      name: "a pod that stops already goes first, whatever its class",
      pods: [guaranteed("ending", { cpu: "1", memory: "1Mi" }, ending), burstable("young", { cpu: "1" }, young)],
      victims: ["ending"],
    },
    {
      name: "a pod that reaches its deadline within its grace period counts as ending",
      pods: [
        burstable("young", { cpu: "1" }, young),
        burstable(
          "due",
          { cpu: "1" },
          { ...old, spec: { activeDeadlineSeconds: 12 * 3600 + 10, terminationGracePeriodSeconds: 30 } },
        ),
      ],
      victims: ["due"],
    },
    {
      name: "a long-running pod is spared while younger ones are enough",
      pods: [
        burstable("old", { cpu: "1" }, old),
        burstable("a", { cpu: "500m" }, young),
        burstable("b", { cpu: "500m" }, young),
      ],
      victims: ["b", "a"],
    },
    {
      name: "of equally near ones the youngest goes",
      pods: [burstable("younger", { cpu: "1" }, younger), burstable("young", { cpu: "1" }, young)],
      victims: ["younger"],
    },
    {
      name: "a Guaranteed pod is spared for an old Burstable one",
      pods: [guaranteed("gu", { cpu: "1", memory: "1Mi" }, young), burstable("old", { cpu: "1" }, old)],
      victims: ["old"],
    },
    {
      name: "nobody goes whom the others make needless",
      pods: [
        burstable("small", { cpu: "300m", memory: "1Gi" }, young),
        burstable("great", { cpu: "1", memory: "1Mi" }, old),
      ],
      victims: ["great"],
    },
    {
      name: "a pod that runs for ten minutes is a long-running one, whatever it gives",
      pods: [
        burstable("ten", { cpu: "1" }, since("2030-01-01T11:50:00Z")),
        burstable("a", { cpu: "500m" }, young),
        burstable("b", { cpu: "500m" }, young),
      ],
      victims: ["b", "a"],
    },
  ])("$name", ({ pods, victims }) => {
    expect(namesOf(select(pods, { cpu: 1000 }, leastDisruption, now))).toEqual(victims);
  });

  test("who looked best at first is spared when those who came after make it needless", () => {
    const pods = [
      burstable("both", { cpu: "600m", memory: "600" }, young),
      burstable("cpu", { cpu: "1" }, young),
      burstable("memory", { memory: "1000" }, young),
    ];
    expect(namesOf(select(pods, { cpu: 1000, memory: 1000 }, leastDisruption, now)).toSorted()).toEqual([
      "cpu",
      "memory",
    ]);
  });
});

describe("the words of least-disruption", () => {
  const now = Date.parse("2030-01-01T12:00:00Z");
  const started = (...times: readonly string[]) => ({
    status: { phase: "Running", containerStatuses: times.map((startedAt) => ({ state: { running: { startedAt } } })) },
  });

  test("say for how long a pod's oldest container has run, or that it ends anyway", () => {
    const pods = [
      burstable("two", { cpu: "1" }, started("2030-01-01T11:59:50Z", "2030-01-01T11:59:30Z") as never),
      burstable("none", { cpu: "1" }),
      burstable("ended", { cpu: "1" }, { status: { phase: "Failed" } } as never),
    ];
    const { victims, words } = select(pods, { cpu: 3000 }, leastDisruption, now);
    expect(Object.fromEntries(victims.map(({ pod, uid }) => [pod.metadata.name, words.get(uid)]))).toEqual({
      two: "runs for 30 s",
      none: "runs for 0 s",
      ended: "ends anyway",
    });
  });

  test("count no container that waits, or of which nothing is known", () => {
    const running = { name: "a", state: { running: { startedAt: "2030-01-01T11:59:30Z" } } };
    const containerStatuses = [{ name: "b", state: { waiting: {} } }, running, { name: "c" }];
    const pods = [burstable("some", { cpu: "1" }, { status: { phase: "Running", containerStatuses } } as never)];
    expect([...select(pods, { cpu: 1 }, leastDisruption, now).words.values()]).toEqual(["runs for 30 s"]);
  });

  test("are of those alone that are needed: who is just made needless by the others is spared", () => {
    const ended = { status: { phase: "Failed" } } as never;
    const pods = [
      burstable("ended", { cpu: "500m" }, ended),
      burstable("great", { cpu: "1" }),
      burstable("rest", { cpu: "400m" }),
    ];
    expect(namesOf(select(pods, { cpu: 1500 }, leastDisruption, now))).toEqual(["ended", "great"]);
    expect(namesOf(select(pods, { cpu: 1000 }, leastDisruption, now))).toEqual(["great"]);
    expect(namesOf(select(pods, { cpu: 1900 }, leastDisruption, now)).toSorted()).toEqual(["ended", "great", "rest"]);
  });
});

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
  ])("$name: nobody goes, and the failure names the strategy", ({ strategy, says }) => {
    const { victims, failure } = select(pods, { cpu: 500 }, strategy);
    expect(victims).toEqual([]);
    expect(failure).toBe(`strategy "tested" ${says}. Mend it, or choose another one for "victims".`);
  });

  test("candidates themselves are an answer, in the order that they are given", () => {
    const answer = select(pods, { cpu: 500 }, ({ candidates }) => candidates.toReversed());
    expect(namesOf(answer)).toEqual(["b", "a"]);
  });
});
