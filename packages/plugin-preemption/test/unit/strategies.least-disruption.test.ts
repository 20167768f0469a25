import { describe, expect, test } from "@jest/globals";
import { isEnding, leastDisruption } from "../../src/strategies.js";
import { bestEffort, burstable, guaranteed, namesOf, select } from "./pods.js";

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
      name: "no pod is taken that the others make needless",
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

  test("the first choice is spared when later ones make it needless", () => {
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

  test("have how long a pod's oldest container has run, or that it ends anyway", () => {
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

  test("are of needed victims alone: one that the others make needless is spared", () => {
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

  test("not when its start is unknown", () => {
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
