import { parseList } from "@hooklet/core/rules";
import { expect, test } from "@jest/globals";
import { nodePlan } from "../../src/plan/node-plan.js";
import { containerPlan, podPlan } from "../../src/plan/pod-plan.js";
import { qosSums } from "../../src/rules/qos.js";
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

test("a Guaranteed pod lies beside the QoS cgroups and is limited in both", () => {
  expect(lines(podPlan(guaranteed, node))).toEqual([
    "/kubepods/poduid-guaranteed/cpu.shares: 1024",
    "/kubepods/poduid-guaranteed/cpu.cfs_period_us: 100000",
    "/kubepods/poduid-guaranteed/cpu.cfs_quota_us: 100000",
    "/kubepods/poduid-guaranteed/memory.limit_in_bytes: 1073741824",
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

test("a BestEffort pod gets the least there is and no limits", () => {
  expect(lines(podPlan(bestEffort, node))).toEqual(["/kubepods/besteffort/poduid-besteffort/cpu.shares: 2"]);
});

test("on cgroup v2 the same tree has weights and max files", () => {
  const v2 = aNode(
    { qosReserved: { memory: "100%" }, podPidsLimit: 1024 },
    { version: "v2", capacity: parseList({ cpu: "3", memory: "8Gi", pid: "32768" }) },
  );
  expect(lines([...nodePlan(v2, qosSums(pods)), ...podPlan(burstable, v2)])).toEqual([
    "/kubepods/cpu.weight: 118",
    "/kubepods/memory.max: 8589934592",
    "/kubepods/pids.max: 32768",
    "/kubepods/burstable/cpu.weight: 79",
    "/kubepods/burstable/memory.max: 7516192768",
    "/kubepods/besteffort/cpu.weight: 1",
    "/kubepods/besteffort/memory.max: 5368709120",
    "/kubepods/burstable/poduid-burstable/cpu.weight: 79",
    "/kubepods/burstable/poduid-burstable/cpu.max: 300000 100000",
    "/kubepods/burstable/poduid-burstable/memory.max: 3221225472",
    "/kubepods/burstable/poduid-burstable/pids.max: 1024",
  ]);
});
