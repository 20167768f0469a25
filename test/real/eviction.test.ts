/** Eviction for real: a pod that takes the node's memory. More pressure: test/deep/plugins. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../support/agent.js";
import { cannotPress, PressedNode } from "../support/pressed-node.js";
import { type RealRuntime, runtimes } from "../support/runtimes.js";

const LIMIT = 300_000;

const idle = { script: 'trap "exit 0" TERM; while :; do sleep 0.2; done' };
const asking = (memory: string) => ({ resources: { requests: { memory } } });
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
    "of three pods in little memory the one that grows beyond its request is evicted before the kernel kills a process",
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
        // It asks for nothing, and so is over its request. Until the evicted pod's containers have stopped it is a candidate itself.
        const next = async () => (await node.plan("--signal", "memory.available")).stdout;
        await until("two is next", async () => (await next()).includes("would evict default/two"), 30);
      } finally {
        await node.remove();
      }
    },
    LIMIT,
  );
});

describe("missing on this machine", () => {
  for (const { name, lacking } of runtimes.filter((one) => (one.lacking ?? cannotPress) !== undefined)) {
    test.skip(`real pressure on ${name}: ${lacking ?? cannotPress}`, () => {});
  }
  test("the stories stand on real runtimes alone", () => {
    expect(runtimes.length).toBeGreaterThan(0);
  });
});
