/** Stalls for real: a pod that reads more than the pods' memory holds makes the kernel reclaim and read again all the time. */
import { existsSync, readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { cannotPress, type PodText, PressedNode } from "../../support/pressed-node.js";
import { type RealRuntime, runtimes } from "../../support/runtimes.js";

const LIMIT = 200_000;
const noPressure = existsSync("/proc/pressure/memory") ? undefined : "this kernel has no /proc/pressure";
const lackingHere = cannotPress ?? noPressure;

const idle = { script: 'trap "exit 0" TERM; while :; do sleep 0.2; done', resources: { requests: { memory: "50Mi" } } };
/** 300 MiB again and again by two processes that stay, where all pods together have 150. */
const reader: PodText = {
  script:
    'dd if=/dev/zero of=/data/f bs=1M count=300 2>/dev/null; all=$(yes /data/f | head -n 2000 | tr "\\n" " "); cat $all > /dev/null & cat $all > /dev/null; wait',
  resources: { requests: { memory: "1Mi" } },
  volumeMounts: [{ name: "data", mountPath: "/data" }],
  spec: { volumes: [{ name: "data", emptyDir: {} }] },
};

const offered = runtimes.filter(({ lacking }) => (lacking ?? lackingHere) === undefined);

describe.each(offered)("on $name", (offer) => {
  let runtime: RealRuntime;
  let node: PressedNode | undefined;

  beforeAll(async () => {
    runtime = await offer.start("evpsi");
  }, LIMIT);

  afterEach(async () => {
    await node?.remove();
    node = undefined;
  }, LIMIT);

  afterAll(() => runtime?.stop(), LIMIT);

  async function story(psi: object): Promise<PressedNode> {
    node = await PressedNode.create(runtime, {
      podsMebibytes: 150,
      evictionHard: {},
      options: { psi, watch: "500ms" },
    });
    await node.apply({ bystander: idle });
    await node.reach("Running", 60, "bystander");
    await node.apply({ reader });
    await node.reach("Failed", 90, "reader");
    return node;
  }

  test(
    "psi.memory: the pod that stalls the node on memory is evicted, and no other",
    async () => {
      const here = await story({ memory: { some: "3%", window: "5s" } });
      expect((await here.get("reader")).status).toMatchObject({
        reason: "Evicted",
        message: expect.stringMatching(
          /^The node was low on resource: memory\. Threshold: psi\.memory\.some above 3% of the time, found: \d+(\.\d+)?%\. Container main was using \S+, request is 1Mi, has larger consumption of memory\. $/,
        ),
      });
      expect(await here.condition("MemoryPressure")).toBe("True");
      // Two more windows, and a round after each.
      await new Promise((resolve) => setTimeout(resolve, 21_000));
      expect(await here.phases("bystander")).toBe("Running");
      expect((await here.events()).filter((line) => line.startsWith("Warning Evicted"))).toHaveLength(1);
    },
    LIMIT,
  );

  test(
    "psi.io: the pod goes that reads most",
    async () => {
      // Others use the machine's disks too.
      const usual = await stalledShare("io", 3_000);
      const here = await story({ io: { some: `${Math.min(90, Math.ceil(usual + 10))}%`, window: "5s" } });
      expect((await here.get("reader")).status).toMatchObject({
        reason: "Evicted",
        message: expect.stringMatching(
          /^The node was low on resource: io\. Threshold: psi\.io\.some above \d+% of the time, found: \d+(\.\d+)?%\. $/,
        ),
      });
      expect(await here.condition("DiskPressure")).toBe("True");
      expect(await here.phases("bystander")).toBe("Running");
      const { stdout } = await here.place.hooklet("explain", "pod", "reader");
      expect(stdout).toMatch(/uses \d\S*\/s io/);
    },
    LIMIT,
  );
});

/** Percent of a while in which some process of the machine stood still. */
async function stalledShare(resource: string, milliseconds: number): Promise<number> {
  const total = () => Number(/^some .*total=(\d+)$/m.exec(readFileSync(`/proc/pressure/${resource}`, "utf8"))?.[1]);
  const [before, began] = [total(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  return (total() - before) / 10 / (performance.now() - began);
}

describe("missing on this machine", () => {
  for (const { name, lacking } of runtimes.filter((one) => (one.lacking ?? lackingHere) !== undefined)) {
    test.skip(`stalls on ${name}: ${lacking ?? lackingHere}`, () => undefined);
  }
  test("the stories stand on real runtimes alone", () => {
    expect(runtimes.length).toBeGreaterThan(0);
  });
});
