/** Real pressure: a disk that a pod fills, memory that a pod takes, processes that a pod starts. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../agent.js";
import { type RealRuntime, runtimes } from "../runtimes.js";
import { cannotPress, PressedNode } from "./pressed-node.js";

const LIMIT = 300_000;

const idle = { script: 'trap "exit 0" TERM; while :; do sleep 0.2; done' };
const asking = (memory: string) => ({ resources: { requests: { memory } } });
/** Ten mebibytes every 0.2 s, up to a hundred and forty. */
const writer = {
  script:
    "i=0; while [ $i -lt 14 ]; do dd if=/dev/zero of=/data/$i bs=1M count=10 2>/dev/null; i=$((i+1)); sleep 0.2; done; sleep 1000",
  volumeMounts: [{ name: "data", mountPath: "/data" }],
};
const emptyDir = (sizeLimit?: string) => ({
  volumes: [{ name: "data", emptyDir: sizeLimit === undefined ? {} : { sizeLimit } }],
});
/** A mebibyte about every 20 ms, held. */
const eater = {
  script: `exec awk 'BEGIN{s="x"; for(j=0;j<20;j++) s=s s; while(1){a[i++]=s i; system("sleep 0.02")}}'`,
};

const offered = runtimes.filter(({ lacking }) => (lacking ?? cannotPress) === undefined);

describe.each(offered)("on $name", (offer) => {
  let runtime: RealRuntime;
  let node: PressedNode;

  beforeAll(async () => {
    runtime = await offer.start("evict");
  }, LIMIT);

  afterAll(() => runtime.stop(), LIMIT);

  describe("a small disk that a pod fills", () => {
    beforeAll(async () => {
      node = await PressedNode.create(runtime, {
        diskMebibytes: 200,
        evictionHard: { "nodefs.available": "50%" },
        options: { evictionPressureTransitionPeriod: "15s" },
      });
      await node.apply({ bystander: { ...idle, ...asking("1Mi") } });
      await node.reach("Running", 60, "bystander");
      await node.apply({ writer: { ...writer, spec: emptyDir() } });
      await node.reach("Failed", 90, "writer");
    }, LIMIT);

    afterAll(() => node.remove(), LIMIT);

    test("loses that pod, in the kubelet's words, and no other", async () => {
      expect((await node.get("writer")).status).toMatchObject({
        reason: "Evicted",
        message: expect.stringMatching(
          /^The node was low on resource: ephemeral-storage\. Threshold quantity: \d+, available: \d+Ki\. /,
        ),
      });
      expect(await node.phases("bystander")).toBe("Running");
      expect(await node.events()).toContain(
        "Warning EvictionThresholdMet node1: Attempting to reclaim ephemeral-storage",
      );
    });

    test(
      "shows DiskPressure, turns new pods away, and is well again after the transition period, without flapping",
      async () => {
        expect(await node.condition("DiskPressure")).toBe("True");
        await node.apply({ late: idle });
        await node.reach("Failed", 20, "late");
        expect((await node.get("late")).status).toMatchObject({
          reason: "Evicted",
          message: "Pod was rejected: The node had condition: [DiskPressure]. ",
        });
        await until("no disk pressure", async () => (await node.condition("DiskPressure")) === "False", 60);
        await node.apply({ later: idle });
        await node.reach("Running", 30, "later", "bystander");
        const changes = (await node.events()).filter((line) => /NodeHas\w*DiskPressure node1/.test(line));
        expect(changes.map((line) => line.split(" ")[1])).toEqual(["NodeHasDiskPressure", "NodeHasNoDiskPressure"]);
      },
      LIMIT,
    );
  });

  test(
    "an emptyDir over its limit costs its pod, and nobody else",
    async () => {
      node = await PressedNode.create(runtime, { evictionHard: {} });
      try {
        await node.apply({ bystander: idle, writer: { ...writer, spec: emptyDir("20Mi") } });
        await node.reach("Failed", 170, "writer");
        expect((await node.get("writer")).status).toMatchObject({
          reason: "Evicted",
          message: 'Usage of EmptyDir volume "data" exceeds the limit "20Mi". ',
        });
        expect(await node.phases("bystander")).toBe("Running");
        expect(await node.condition("DiskPressure")).toBe("False");
      } finally {
        await node.remove();
      }
    },
    LIMIT,
  );

  test(
    "of three pods in little memory the one that grows beyond its request goes before the kernel kills anybody",
    async () => {
      node = await PressedNode.create(runtime, {
        podsMebibytes: 300,
        evictionHard: { "memory.available": "100Mi" },
        options: { watch: "100ms" },
      });
      try {
        await node.apply({ one: { ...idle, ...asking("50Mi") }, two: idle });
        await node.reach("Running", 60, "one", "two");
        await node.apply({ eater: { ...eater, ...asking("20Mi") } });
        await node.reach("Failed", 90, "eater");
        expect((await node.get("eater")).status).toMatchObject({
          reason: "Evicted",
          message: expect.stringMatching(
            /^The node was low on resource: memory\. Threshold quantity: 100Mi, available: \d+Ki\. Container main was using \d+Ki, request is 20Mi, has larger consumption of memory\. $/,
          ),
        });
        expect(await node.phases("one", "two")).toBe("Running Running");
        expect(await node.condition("MemoryPressure")).toBe("True");
      } finally {
        await node.remove();
      }
    },
    LIMIT,
  );

  test(
    "a pod that starts hundreds of processes goes when the node runs short of them",
    async () => {
      node = await PressedNode.create(runtime, { evictionHard: { "pid.available": String(processesLeft() - 1500) } });
      try {
        await node.apply({ bystander: idle });
        await node.reach("Running", 60, "bystander");
        await node.apply({ bomb: { script: "i=0; while [ $i -lt 2500 ]; do sleep 1000 & i=$((i+1)); done; wait" } });
        await node.reach("Failed", 60, "bomb");
        expect((await node.get("bomb")).status).toMatchObject({
          reason: "Evicted",
          message: expect.stringMatching(
            /^The node was low on resource: pids\. Threshold quantity: \d+k?, available: \d+\. $/,
          ),
        });
        expect(await node.phases("bystander")).toBe("Running");
      } finally {
        await node.remove();
      }
    },
    LIMIT,
  );
});

describe("what this machine lacks", () => {
  for (const { name, lacking } of runtimes.filter((one) => (one.lacking ?? cannotPress) !== undefined)) {
    test.skip(`real pressure on ${name}: ${lacking ?? cannotPress}`, () => {});
  }
  test("the stories stand on real runtimes alone", () => {
    expect(runtimes.length).toBeGreaterThan(0);
  });
});

/** As the signal pid.available has it. */
function processesLeft(): number {
  const number = (file: string) => Number(readFileSync(file, "utf8"));
  const most = Math.min(number("/proc/sys/kernel/pid_max"), number("/proc/sys/kernel/threads-max"));
  const tasks = /\/(\d+) /.exec(readFileSync("/proc/loadavg", "utf8"))?.[1];
  return most - Number(tasks);
}
