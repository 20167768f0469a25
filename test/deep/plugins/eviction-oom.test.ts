/**
 * Who is first, the eviction or the kernel's OOM killer: a pod that eats memory, again and again, with the fast watch and without.
 * HOOKLET_RUNS=10 for the table; it goes to stderr.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { cannotPress, PressedNode } from "../../support/pressed-node.js";
import { type RealRuntime, runtimes } from "../../support/runtimes.js";

const RUNS = Number(process.env.HOOKLET_RUNS ?? 2);
const LIMIT = 120_000 + RUNS * 60_000;

const idle = { script: 'trap "exit 0" TERM; while :; do sleep 0.2; done' };
/** A mebibyte about every 20 ms, held. */
const eater = {
  script: `exec awk 'BEGIN{s="x"; for(j=0;j<20;j++) s=s s; while(1){a[i++]=s i; system("sleep 0.02")}}'`,
  resources: { requests: { memory: "20Mi" } },
};

const offered = runtimes.filter(({ lacking }) => (lacking ?? cannotPress) === undefined);

describe.each(offered)("on $name", (offer) => {
  let runtime: RealRuntime;
  const table: Record<string, unknown>[] = [];

  beforeAll(async () => {
    runtime = await offer.start("evoom");
  }, LIMIT);

  afterAll(async () => {
    process.stderr.write(`${offer.name}, ${RUNS} runs each\n${table.map((row) => JSON.stringify(row)).join("\n")}\n`);
    await runtime?.stop();
  }, LIMIT);

  async function ends(watch: string): Promise<readonly string[]> {
    const node = await PressedNode.create(runtime, {
      podsMebibytes: 300,
      evictionHard: { "memory.available": "100Mi" },
      options: { watch },
    });
    try {
      await node.apply({ one: { ...idle, resources: { requests: { memory: "50Mi" } } }, two: idle });
      await node.reach("Running", 60, "one", "two");
      const all: string[] = [];
      for (let run = 0; run < RUNS; run++) {
        await node.apply({ [`eater${run}`]: eater });
        await node.reach("Failed", 90, `eater${run}`);
        all.push(endOf(await node.get(`eater${run}`)));
        await node.place.hooklet("delete", "pod", `eater${run}`);
        await until("it is gone", async () => (await node.phases(`eater${run}`)) === "none", 30);
      }
      table.push({ watch, evicted: count(all, "Evicted"), oomKilled: count(all, "OOMKilled"), ends: all.join(" ") });
      expect(await node.phases("one", "two")).toBe("Running Running");
      return all;
    } finally {
      await node.remove();
    }
  }

  test(
    "with the watch every one is evicted before the kernel kills it, and the others live",
    async () => {
      expect(await ends("100ms")).toEqual(Array(RUNS).fill("Evicted"));
    },
    LIMIT,
  );

  test(
    "without it some are and some are not: that is counted",
    async () => {
      for (const end of await ends("0s")) expect(["Evicted", "OOMKilled"]).toContain(end);
    },
    LIMIT,
  );
});

/** What ended it first. */
function endOf({ status }: Awaited<ReturnType<PressedNode["get"]>>): string {
  const reason = status.containerStatuses?.[0]?.state.terminated?.reason;
  return reason === "OOMKilled" ? reason : (status.reason ?? reason ?? status.phase);
}

const count = (all: readonly string[], what: string): number => all.filter((one) => one === what).length;

describe("missing on this machine", () => {
  for (const { name, lacking } of runtimes.filter((one) => (one.lacking ?? cannotPress) !== undefined)) {
    test.skip(`memory pressure on ${name}: ${lacking ?? cannotPress}`, () => undefined);
  }
  test("the stories stand on real runtimes alone", () => {
    expect(runtimes.length).toBeGreaterThan(0);
  });
});
