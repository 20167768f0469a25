import { parseList } from "@hooklet/core/rules";
import { describe, expect, test } from "@jest/globals";
import { nodePlan, reservedPlan } from "../../../src/plan/node-plan.js";
import { containerPlan, podPlan } from "../../../src/plan/pod-plan.js";
import { qosSums } from "../../../src/rules/qos.js";
import { aNode, aPod, both, lines, MIB } from "../world.js";

const burstable = aPod("b", [{ requests: { cpu: "250m", memory: "64Mi" }, limits: { cpu: "500m", memory: "128Mi" } }]);

describe("options", () => {
  test("cpuCFSQuota off writes a quota of -1 to pods and none to containers", () => {
    const node = aNode({ cpuCFSQuota: false });
    expect(lines(podPlan(burstable, node))).toContain("/kubepods/burstable/poduid-b/cpu.cfs_quota_us: -1");
    const [main] = burstable.spec.containers;
    expect(main && containerPlan(burstable, main, node).resources).toMatchObject({ cpuQuota: 0, cpuPeriod: 0 });
  });

  test("a shorter period shortens the quota with it", () => {
    expect(lines(podPlan(burstable, aNode({ cpuCFSQuotaPeriod: 0.01 })))).toEqual(
      expect.arrayContaining([
        "/kubepods/burstable/poduid-b/cpu.cfs_period_us: 10000",
        "/kubepods/burstable/poduid-b/cpu.cfs_quota_us: 5000",
      ]),
    );
  });

  test("huge pages are limited in containers that have such a limit, each size of the machine", () => {
    const node = aNode({}, { hugetlb: true });
    const of = (limits: Record<string, string>) => {
      const pod = aPod("h", [both({ cpu: "1", memory: "64Mi", ...limits })]);
      const [main] = pod.spec.containers;
      return main === undefined
        ? []
        : lines(containerPlan(pod, main, node).plan).filter((line) => line.includes("hugetlb"));
    };
    expect(of({})).toEqual([]);
    expect(of({ "hugepages-2Mi": "4Mi" }).map((line) => line.replace(/^.*\//, ""))).toEqual([
      "hugetlb.2MB.limit_in_bytes: 4194304",
      "hugetlb.1GB.limit_in_bytes: 0",
    ]);
  });

  test("a group kill is of v2 alone, and none where single processes are to be killed", () => {
    const unified = (version: "v1" | "v2", singleProcessOOMKill: boolean | null) => {
      const [main] = burstable.spec.containers;
      return main && containerPlan(burstable, main, aNode({ singleProcessOOMKill }, { version })).resources.unified;
    };
    expect([unified("v2", null), unified("v2", false)]).toEqual([
      { "memory.oom.group": "1" },
      { "memory.oom.group": "1" },
    ]);
    expect([unified("v2", true), unified("v1", null)]).toEqual([undefined, undefined]);
  });

  test("reservations come off kubepods when pods are enforced, and not otherwise", () => {
    const machine = {
      systemReserved: parseList({ cpu: "500m", memory: "1Gi" }),
      kubeReserved: parseList({ memory: "1Gi" }),
    };
    const enforced = nodePlan(aNode({}, machine), qosSums([]));
    expect(lines(enforced).slice(0, 2)).toEqual([
      "/kubepods/cpu.shares: 1536",
      "/kubepods/memory.limit_in_bytes: 6442450944",
    ]);
    const open = nodePlan(aNode({ enforceNodeAllocatable: ["none"] }, machine), qosSums([]));
    expect(lines(open).slice(0, 2)).toEqual([
      "/kubepods/cpu.shares: 2048",
      "/kubepods/memory.limit_in_bytes: 8589934592",
    ]);
  });

  test("without cgroupsPerQOS there is no tree", () => {
    expect(nodePlan(aNode({ cgroupsPerQOS: false, enforceNodeAllocatable: [] }), qosSums([burstable]))).toEqual([]);
  });

  test("system-reserved holds memory as well, -compressible cpu alone", () => {
    const node = aNode(
      { systemReservedCgroup: "/system", enforceNodeAllocatable: ["pods", "system-reserved"] },
      { systemReserved: parseList({ cpu: "500m", memory: "1Gi" }) },
    );
    expect(lines(reservedPlan(node, "system-reserved"))).toEqual([
      "/system/cpu.shares: 512",
      "/system/memory.limit_in_bytes: 1073741824",
    ]);
    expect(lines(reservedPlan(node, "system-reserved-compressible"))).toEqual(["/system/cpu.shares: 512"]);
  });
});

describe("huge pages", () => {
  const pod = aPod("h", [both({ cpu: "1", memory: "64Mi", "hugepages-2Mi": "4Mi" })]);

  test("without the controller nothing is written, and the runtime gets the limits anyway", () => {
    const node = aNode();
    expect(lines(podPlan(pod, node)).filter((line) => line.includes("hugetlb"))).toEqual([]);
    const [main] = pod.spec.containers;
    expect(main && containerPlan(pod, main, node).resources.hugepageLimits).toEqual([
      { pageSize: "2MB", limit: 4 * MIB },
      { pageSize: "1GB", limit: 0 },
    ]);
  });
});

describe("memory QoS", () => {
  const options = { memoryThrottlingFactor: 0.9, memoryReservationPolicy: "TieredReservation" } as const;
  const guaranteed = aPod("g", [both({ cpu: "1", memory: "256Mi" })]);

  test("cgroup v1 knows none of it", () => {
    const node = aNode(options);
    expect(
      lines(nodePlan(node, qosSums([burstable, guaranteed]))).filter((line) => /memory\.(min|low)/.test(line)),
    ).toEqual([]);
    const [main] = burstable.spec.containers;
    expect(main && containerPlan(burstable, main, node).resources.unified).toBeUndefined();
  });
});
