import { parseList } from "@hooklet/core/rules";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { applyPlan } from "../../../src/apply/apply.js";
import { nodePlan } from "../../../src/plan/node-plan.js";
import { podPlan } from "../../../src/plan/pod-plan.js";
import { qosSums } from "../../../src/rules/qos.js";
import { aMachine } from "../machine.js";
import { pods } from "../plan/any-pods.js";
import { aNode } from "../world.js";

const versions = fc.constantFrom("v1", "v2");
const capacity = parseList({ cpu: "8", memory: "64Gi", pid: "32768" });

test("a plan applied twice writes nothing the second time, and the kernel refuses nothing", async () => {
  await fc.assert(
    fc.asyncProperty(pods, versions, async (some, version) => {
      const node = aNode({ podPidsLimit: 100 }, { version, capacity, hugetlb: true });
      const { files, layout } = aMachine(version);
      const plan = [...nodePlan(node, qosSums(some)), ...some.flatMap((pod) => podPlan(pod, node))];
      expect((await applyPlan(files, layout, plan)).refused).toEqual([]);
      expect(await applyPlan(files, layout, plan)).toEqual({ made: [], written: [], refused: [] });
    }),
    { numRuns: 40 },
  );
});
