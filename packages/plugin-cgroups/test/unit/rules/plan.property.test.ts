import { parseList } from "@hooklet/core/rules";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { nodePlan } from "../../../src/plan/node-plan.js";
import { containerPlan, podPlan } from "../../../src/plan/pod-plan.js";
import { qosSums } from "../../../src/rules/qos.js";
import { pods } from "../plan/any-pods.js";
import { aNode } from "../world.js";

const capacity = parseList({ cpu: "8", memory: "64Gi", pid: "32768" });

describe("any pods", () => {
  test("a pod's limit is never below that of one of its containers", () => {
    fc.assert(
      fc.property(pods, (some) => {
        const node = aNode({}, { capacity });
        for (const pod of some) {
          const own = podPlan(pod, node).find(({ file }) => file === "memory.limit_in_bytes");
          for (const one of own ? pod.spec.containers : []) {
            const limit = containerPlan(pod, one, node).resources.memoryLimitInBytes ?? 0;
            expect(limit).toBeLessThanOrEqual(Number(own?.value));
          }
        }
      }),
    );
  });

  test("the shares of Burstable pods never come to more than their class has, but for what each gets at least", () => {
    fc.assert(
      fc.property(pods, (some) => {
        const node = aNode({}, { capacity });
        const shares = (path: string, plan: readonly { path: string; file: string; value: string }[]): number =>
          Number(plan.find((one) => one.path === path && one.file === "cpu.shares")?.value ?? 0);
        const burstable = some
          .map((pod) => podPlan(pod, node))
          .filter(([first]) => first?.path.startsWith("/kubepods/burstable/"))
          .map((plan) => shares(plan[0]?.path ?? "", plan));
        const total = shares("/kubepods/burstable", nodePlan(node, qosSums(some)));
        const above = burstable.filter((one) => one > 2).reduce((sum, one) => sum + one, 0);
        expect(above).toBeLessThanOrEqual(total + burstable.length);
      }),
    );
  });

  test("oom scores are from -997 to 1000, and of two containers of a Burstable pod the greater asker dies later", () => {
    fc.assert(
      fc.property(pods, (some) => {
        const node = aNode({}, { capacity });
        for (const pod of some) {
          const scores = pod.spec.containers.map((one) => ({
            score: containerPlan(pod, one, node).resources.oomScoreAdj ?? 0,
            asked: Number.parseInt(one.resources?.requests?.memory ?? "0", 10),
          }));
          for (const a of scores) {
            expect(a.score).toBeGreaterThanOrEqual(-997);
            expect(a.score).toBeLessThanOrEqual(1000);
            for (const b of scores) if (a.asked > b.asked) expect(a.score).toBeLessThanOrEqual(b.score);
          }
        }
      }),
    );
  });
});
