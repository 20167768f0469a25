/** Small disks that run full: by a log, by an emptyDir, by a writable layer, by images. */
import { statfsSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { cannotPress, type PodText, PressedNode, type PressedNodeOptions } from "../../support/pressed-node.js";
import { type RealRuntime, runtimes } from "../../support/runtimes.js";

const LIMIT = 300_000;
const MIB = 1024 ** 2;
/** Megabytes of the runtime's own disk; the images of the script take about 215 of it. */
const DISK = 760;

const idle = { script: 'trap "exit 0" TERM; while :; do sleep 0.2; done' };
/** Holds on to it: a step every 0.2 s, fourteen of them. */
const steps = (step: string, count = 14, pause = 0.2) =>
  `i=0; while [ $i -lt ${count} ]; do ${step}; i=$((i+1)); sleep ${pause}; done; trap "exit 0" TERM; while :; do sleep 0.2; done`;
const writers: Readonly<Record<string, PodText>> = {
  "a log": { script: steps("yes 0123456789abcdef | head -c 10485760") },
  "an emptyDir": {
    script: steps("dd if=/dev/zero of=/data/$i bs=1M count=10 2>/dev/null"),
    volumeMounts: [{ name: "data", mountPath: "/data" }],
    spec: { volumes: [{ name: "data", emptyDir: {} }] },
  },
};

const offered = runtimes.filter(({ lacking }) => (lacking ?? cannotPress) === undefined);

describe.each(offered)("on $name", (offer) => {
  let runtime: RealRuntime;
  let node: PressedNode | undefined;

  beforeAll(async () => {
    runtime = await offer.start("evdisk", DISK);
  }, LIMIT);

  afterEach(async () => {
    await node?.remove();
    node = undefined;
  }, LIMIT);

  afterAll(() => runtime?.stop(), LIMIT);

  async function pressed(evictionHard: PressedNodeOptions["evictionHard"], options = {}): Promise<PressedNode> {
    node = await PressedNode.create(runtime, {
      diskMebibytes: 200,
      evictionHard,
      options: { evictionPressureTransitionPeriod: "15s", ...options },
      imagegc: { imageMinimumGCAge: "0s", imageGCHighThresholdPercent: 100, imageGCLowThresholdPercent: 99 },
    });
    return node;
  }

  const asking = { resources: { requests: { memory: "1Mi" } } };

  test.each(Object.entries(writers))(
    "%s fills the node's disk: its pod is evicted, no other; DiskPressure comes, keeps new pods out, and goes, once",
    async (_name, writer) => {
      const here = await pressed({ "nodefs.available": "50%" });
      await here.apply({ bystander: { ...idle, ...asking } });
      await here.reach("Running", 60, "bystander");
      await here.apply({ writer });
      await here.reach("Failed", 90, "writer");
      expect((await here.get("writer")).status).toMatchObject({
        reason: "Evicted",
        message: expect.stringMatching(
          /^The node was low on resource: ephemeral-storage\. Threshold quantity: \d+, available: \d+(Ki)?\. /,
        ),
      });
      expect(await here.condition("DiskPressure")).toBe("True");
      await here.apply({ late: idle });
      await here.reach("Failed", 20, "late");
      expect((await here.get("late")).status).toMatchObject({
        reason: "Evicted",
        message: "Pod was rejected: The node had condition: [DiskPressure]. ",
      });
      await until("no disk pressure", async () => (await here.condition("DiskPressure")) === "False", 60);
      await here.apply({ later: idle });
      await here.reach("Running", 30, "later", "bystander");
      expect(await here.events()).toContain(
        "Warning EvictionThresholdMet node1: Attempting to reclaim ephemeral-storage",
      );
      // The first one may be reported at the start.
      expect((await here.changes("DiskPressure")).slice(-2)).toEqual(["NodeHasDiskPressure", "NodeHasNoDiskPressure"]);
      expect((await here.changes("DiskPressure")).length).toBeLessThanOrEqual(3);
    },
    LIMIT,
  );

  test(
    "images fill their disk: the unused ones go and no pod; then a writable layer does, and its pod goes",
    async () => {
      const { imageFolder, blobs } = runtime;
      // Where the agent does not import them they are there before it starts: it would clean while they come.
      const left = imageFolder === undefined ? 0 : Math.round(free(imageFolder) / MIB);
      await blobs?.(...[0, 1, 2, 3, 4].map((index) => `example.test/blob${index}:1=25`));
      const evictionHard: Record<string, string> =
        imageFolder === undefined ? { "nodefs.available": "50%" } : { "imagefs.available": `${left - 60}Mi` };
      const here = await pressed(evictionHard);
      await here.apply({ bystander: { ...idle, ...asking } });
      await here.reach("Running", 60, "bystander");
      if (blobs === undefined) await here.importImages(5, 25);
      // A round may come before the last one is there.
      await until("unused images are gone", async () => (await here.blobs()).length < 5, 60);
      expect(await here.events()).toContain(
        "Warning EvictionThresholdMet node1: Attempting to reclaim ephemeral-storage",
      );
      expect(await here.condition("DiskPressure")).toBe("True");
      await until("no disk pressure", async () => (await here.condition("DiskPressure")) === "False", 60);
      expect(await here.phases("bystander")).toBe("Running");
      expect((await here.events()).filter((line) => line.startsWith("Warning Evicted"))).toEqual([]);

      if (imageFolder === undefined) return;
      // The script's own images are gone too: it takes some seconds until the threshold is crossed.
      const layer = steps("dd if=/dev/zero of=/layer$i bs=1M count=10 2>/dev/null", 45, 0.4);
      await here.apply({ writer: { script: layer, ...asking } });
      await here.reach("Failed", 90, "writer");
      expect((await here.get("writer")).status).toMatchObject({
        reason: "Evicted",
        message: expect.stringMatching(/^The node was low on resource: ephemeral-storage\. /),
      });
      expect(await here.phases("bystander")).toBe("Running");
    },
    LIMIT,
  );
});

function free(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

describe("missing on this machine", () => {
  for (const { name, lacking } of runtimes.filter((one) => (one.lacking ?? cannotPress) !== undefined)) {
    test.skip(`full disks on ${name}: ${lacking ?? cannotPress}`, () => undefined);
  }
  test("the stories stand on real runtimes alone", () => {
    expect(runtimes.length).toBeGreaterThan(0);
  });
});
