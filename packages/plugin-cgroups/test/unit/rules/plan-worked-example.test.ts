import { parseList } from "@hooklet/core/rules";
import { expect, test } from "@jest/globals";
import { nodePlan } from "../../../src/plan/node-plan.js";
import { containerPlan, podPlan } from "../../../src/plan/pod-plan.js";
import { qosSums } from "../../../src/rules/qos.js";
import { aNode, aPod, both, lines } from "../world.js";

const node = aNode(
  { qosReserved: { memory: "100%" } },
  { capacity: parseList({ cpu: "3", memory: "8Gi", pid: "32768" }) },
);
const guaranteed = aPod("guaranteed", [both({ cpu: "1", memory: "1Gi" })]);
const burstable = aPod("burstable", [
  both({ cpu: "1", memory: "1Gi" }),
  { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2", memory: "2Gi" } },
]);
const bestEffort = aPod("besteffort");
const pods = [guaranteed, burstable, bestEffort];

test("the QoS tree of 3 cores and 8 GiB with all memory requests reserved", () => {
  expect(lines(nodePlan(node, qosSums(pods)))).toEqual([
    "/kubepods/cpu.shares: 3072",
    "/kubepods/memory.limit_in_bytes: 8589934592",
    "/kubepods/pids.max: 32768",
    "/kubepods/burstable/cpu.shares: 2048",
    "/kubepods/burstable/memory.limit_in_bytes: 7516192768",
    "/kubepods/besteffort/cpu.shares: 2",
    "/kubepods/besteffort/memory.limit_in_bytes: 5368709120",
  ]);
});

test("a Burstable pod of two containers gets what both ask for together", () => {
  expect(lines(podPlan(burstable, node))).toEqual([
    "/kubepods/burstable/poduid-burstable/cpu.shares: 2048",
    "/kubepods/burstable/poduid-burstable/cpu.cfs_period_us: 100000",
    "/kubepods/burstable/poduid-burstable/cpu.cfs_quota_us: 300000",
    "/kubepods/burstable/poduid-burstable/memory.limit_in_bytes: 3221225472",
  ]);
  const shares = burstable.spec.containers.map((one) => containerPlan(burstable, one, node).resources.cpuShares);
  expect(shares).toEqual([1024, 1024]);
});
