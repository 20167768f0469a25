import { describe, expect, test } from "@jest/globals";
import { Escalation } from "../../src/evict.js";
import type { PodEviction } from "../../src/index.js";
import { parseThresholdConfig } from "../../src/internal.js";
import { memory, noSettings, pod } from "./pods.js";

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

  test("a victim that is gone is not evicted again", async () => {
    const { check, hurried, end, killing } = underWay(60);
    end();
    await killing;
    await check("50Mi");
    expect(hurried).toEqual([]);
  });
});
