/** Statistics that say nonsense: each amount that is none counts as missing, and stops nothing else. */

import { isCriticalPod } from "@hooklet/core/rules";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type NodeStatistics, observationsOf, type PodStatistics } from "../../../src/internal.js";
import { CRITICAL, disk, FakeNode, memory, pod } from "../pods.js";

const nonsense = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, -(2 ** 60));
const odd = fc.oneof(nonsense, fc.constantFrom(undefined, 0, 0.5, 2 ** 40, 2 ** 62, Number.MAX_VALUE));
const time = fc.constantFrom(
  undefined,
  "",
  "soon",
  "2026-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "-000001-01-01T00:00:00Z",
);
const fs = fc.record({
  time,
  availableBytes: odd,
  capacityBytes: odd,
  usedBytes: odd,
  inodes: odd,
  inodesFree: odd,
  inodesUsed: odd,
});
const memoryOf = fc.record({ time, availableBytes: odd, workingSetBytes: odd, usageBytes: odd });
const node = fc.record({
  memory: memoryOf,
  systemContainers: fc.constantFrom([], undefined),
  fs,
  runtime: fc.record({ imageFs: fs, containerFs: fs }),
  rlimit: fc.record({ maxpid: odd, curproc: odd, time }),
}) as fc.Arbitrary<NodeStatistics>;

const limited = { volumes: [{ name: "data", emptyDir: { sizeLimit: "1Gi" } }] };
const pods = [
  pod("plain"),
  pod("asks", { memory: "1Gi", "ephemeral-storage": "1Gi" }, { spec: { ...limited, priority: 5 } }),
  pod("vital", {}, { spec: { priority: CRITICAL } }),
];
const podStatistics = fc.tuple(
  ...pods.map(({ metadata: { uid, name, namespace } }) =>
    fc.record({
      podRef: fc.constant({ uid, name, namespace }),
      memory: memoryOf,
      containers: fc.array(fc.record({ name: fc.constant("main"), memory: memoryOf, rootfs: fs, logs: fs }), {
        maxLength: 2,
      }),
      volume: fc.array(
        fs.map((one) => ({ name: "data", ...one })),
        { maxLength: 1 },
      ),
      "ephemeral-storage": fs,
      process_stats: fc.record({ process_count: odd }),
    }),
  ),
) as unknown as fc.Arbitrary<readonly PodStatistics[]>;

const thresholds = {
  evictionHard: {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "imagefs.inodesFree": "5%",
    "pid.available": "1k",
  },
  evictionMinimumReclaim: { "memory.available": "1Gi", "nodefs.available": "200%" },
};

describe("for any statistics", () => {
  test("a round ends, takes one pod at most for pressure, and no critical one ever", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(node, podStatistics), { maxLength: 4 }), async (rounds) => {
        const fake = new FakeNode();
        fake.pods = pods;
        const manager = fake.manager(thresholds);
        for (const [said, usage] of rounds) {
          fake.now += 10_000;
          Object.assign(fake, { node: said, statisticsOfPods: usage });
          const before = fake.evicted.length;
          await manager.synchronize();
          const now = fake.evicted.slice(before);
          expect(now.filter(({ disruption }) => disruption).length).toBeLessThanOrEqual(1);
          expect(now.filter((one) => isCriticalPod(one.pod))).toEqual([]);
          expect(now.map(({ message }) => message).join("")).not.toMatch(/NaN|Infinity/);
        }
      }),
    );
  });

  test("an amount that is none is no signal", () => {
    fc.assert(
      fc.property(nonsense, (amount) => {
        const said = {
          memory: { availableBytes: 5, workingSetBytes: amount },
          fs: { availableBytes: 5, capacityBytes: amount },
        };
        expect([...observationsOf(said)]).toEqual([]);
      }),
    );
  });
});

test("implausible numbers of a disk do not prevent an eviction for memory", async () => {
  const fake = new FakeNode();
  fake.pods = pods;
  fake.node = { ...disk("50Gi"), ...memory("50Mi"), fs: { availableBytes: Number.NaN, capacityBytes: Number.NaN } };
  await fake.manager(thresholds).synchronize();
  expect(fake.names).toHaveLength(1);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1])(
  "a pod whose storage is reported as %d is over no limit",
  async (usedBytes) => {
    const asks = pods[1];
    if (asks === undefined) throw new Error("no pod");
    const fake = new FakeNode();
    fake.pods = [
      {
        ...asks,
        spec: { ...asks.spec, containers: [{ name: "main", resources: { limits: { "ephemeral-storage": "1Gi" } } }] },
      },
    ];
    const { uid, name, namespace } = asks.metadata;
    fake.statisticsOfPods = [
      {
        podRef: { uid, name, namespace },
        containers: [{ name: "main", rootfs: { usedBytes }, logs: { usedBytes } }],
        volume: [{ name: "data", usedBytes }],
        "ephemeral-storage": { usedBytes },
      },
    ];
    await fake.manager({}).synchronize();
    expect(fake.names).toEqual([]);
  },
);
