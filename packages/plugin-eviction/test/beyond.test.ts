import { describe, expect, test } from "@jest/globals";
import type { PodEviction } from "../src/index.js";
import { parseThresholdConfig } from "../src/index.js";
import { Escalation } from "../src/loop/escalation.js";
import { FakeNode, memory, noSettings, pod, statisticsOf } from "./pods.js";

describe("a budget of evictions", () => {
  const hard = { evictionHard: { "memory.available": "100Mi" } };

  function short(): FakeNode {
    const node = new FakeNode();
    node.pods = ["a", "b", "c"].map((name) => pod(name));
    node.statisticsOfPods = node.pods.map((one) => statisticsOf(one, { memory: 100 }));
    node.node = memory("50Mi");
    return node;
  }

  test("stops at its number, tells so, and goes on when time has passed", async () => {
    const node = short();
    const manager = node.manager(hard, { budget: { pods: 2, per: 300 } });
    for (const at of [0, 10, 20, 299]) {
      node.now = at * 1000;
      await manager.synchronize();
    }
    expect(node.names).toEqual(["a", "b"]);
    expect(node.notes).toEqual(["over budget: memory", "over budget: memory"]);
    node.now = 300_000;
    await manager.synchronize();
    expect(node.names).toEqual(["a", "b", "c"]);
  });

  test("the condition shows all the same", async () => {
    const node = short();
    const manager = node.manager(hard, { budget: { pods: 0, per: 300 } });
    await manager.synchronize();
    expect(node.names).toEqual([]);
    expect(manager.conditions).toEqual(["MemoryPressure"]);
  });
});

describe("escalation", () => {
  const thresholds = parseThresholdConfig({
    ...noSettings,
    evictionHard: { "memory.available": "100Mi" },
    evictionSoft: { "memory.available": "1Gi" },
    evictionSoftGracePeriod: { "memory.available": "30s" },
  });

  function underWay(gracePeriodSeconds: number) {
    const escalation = new Escalation();
    const hurried: PodEviction[] = [];
    let reads = 0;
    let end = (): void => undefined;
    const evict = escalation.watching(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    const eviction = {
      pod: pod("slow"),
      signal: "memory.available",
      message: "",
      annotations: {},
      gracePeriodSeconds,
      disruption: true,
      considered: [],
    };
    const killing = evict(eviction);
    const check = (left: string) =>
      escalation.check(
        thresholds,
        async () => {
          reads += 1;
          return { node: memory(left), pods: async () => [] };
        },
        async (one) => void hurried.push(one),
      );
    return { check, hurried, reads: () => reads, end: () => end(), killing };
  }

  test("a hard threshold leaves the victim of a soft one a second, once", async () => {
    const { check, hurried } = underWay(60);
    await check("500Mi");
    expect(hurried).toEqual([]);
    await check("50Mi");
    await check("50Mi");
    expect(hurried.map(({ gracePeriodSeconds }) => gracePeriodSeconds)).toEqual([1]);
  });

  test("a hard eviction under way has nothing to gain, and nothing is read for it", async () => {
    const { check, hurried, reads } = underWay(1);
    await check("50Mi");
    expect(hurried).toEqual([]);
    expect(reads()).toBe(0);
  });

  test("a victim that is gone is not told to hurry", async () => {
    const { check, hurried, end, killing } = underWay(60);
    end();
    await killing;
    await check("50Mi");
    expect(hurried).toEqual([]);
  });
});
