/** Real pressure: limits of storage, processes that a pod starts. Full disks: eviction-disk.test.ts; memory: test/real/eviction.test.ts. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { cannotPress, PressedNode } from "../../support/pressed-node.js";
import { type RealRuntime, runtimes } from "../../support/runtimes.js";

const LIMIT = 300_000;

const idle = { script: 'trap "exit 0" TERM; while :; do sleep 0.2; done' };
/** Ten mebibytes every 0.2 s, up to a hundred and forty. */
const writer = {
  script:
    "i=0; while [ $i -lt 14 ]; do dd if=/dev/zero of=/data/$i bs=1M count=10 2>/dev/null; i=$((i+1)); sleep 0.2; done; sleep 1000",
  volumeMounts: [{ name: "data", mountPath: "/data" }],
};
const emptyDir = (sizeLimit?: string) => ({
  volumes: [{ name: "data", emptyDir: sizeLimit === undefined ? {} : { sizeLimit } }],
});
const offered = runtimes.filter(({ lacking }) => (lacking ?? cannotPress) === undefined);

describe.each(offered)("on $name", (offer) => {
  let runtime: RealRuntime;
  let node: PressedNode;

  beforeAll(async () => {
    runtime = await offer.start("evict");
  }, LIMIT);

  afterAll(() => runtime.stop(), LIMIT);

  test(
    "an emptyDir over its limit costs its pod, and no other",
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

/** As the signal pid.available has it. */
function processesLeft(): number {
  const number = (file: string) => Number(readFileSync(file, "utf8"));
  const most = Math.min(number("/proc/sys/kernel/pid_max"), number("/proc/sys/kernel/threads-max"));
  const tasks = /\/(\d+) /.exec(readFileSync("/proc/loadavg", "utf8"))?.[1];
  return most - Number(tasks);
}
