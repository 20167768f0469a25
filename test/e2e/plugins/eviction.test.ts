/** Real pressure: limits of storage, memory that a pod takes, processes that a pod starts. Full disks: eviction-disk.test.ts. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
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
        const why = await node.place.hooklet("explain", "pod", "eater");
        expect(why.stdout).toMatch(/over its request; uses \d+Ki memory of 20Mi requested/);
        expect(why.stdout).toMatch(/pod\/default\/one\s+spared/);
        // It asks for nothing, and so is over its request.
        const next = await node.plan("--signal", "memory.available");
        expect(next.stdout).toContain("would evict default/two");
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
        // Its dead processes may wait for the machine's init for a while: two more rounds.
        await new Promise((resolve) => setTimeout(resolve, 22_000));
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
