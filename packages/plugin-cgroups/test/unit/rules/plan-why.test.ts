/** What `hooklet plan` says of each file: the formula with its numbers. */
import { parseList } from "@hooklet/core/rules";
import { describe, expect, test } from "@jest/globals";
import { nodePlan, type ReservedKey, reservedPlan } from "../../../src/plan/node-plan.js";
import { containerPlan, podPlan } from "../../../src/plan/pod-plan.js";
import { controllerOf, type Plan, settingsOf } from "../../../src/plan/setting.js";
import { BURST_ANNOTATION } from "../../../src/rules/container.js";
import { qosSums } from "../../../src/rules/qos.js";
import { aNode, aPod, both, lines, MIB } from "../world.js";

const burstable = aPod("b", [
  {
    requests: { cpu: "250m", memory: "64Mi", "hugepages-2Mi": "4Mi" },
    limits: { cpu: "500m", memory: "128Mi", "hugepages-2Mi": "4Mi" },
  },
]);
const guaranteed = aPod("g", [both({ cpu: "1", memory: "256Mi" })]);
const bestEffort = aPod("e");
const sums = qosSums([burstable, guaranteed, bestEffort]);
/** `burstable/cpu.shares: why`, without the beginning of the path. */
const whys = (plan: Plan): string[] =>
  plan.map(({ path, file, why }) => `${path.replace(/^\/kubepods\/?/, "") || "kubepods"} ${file}: ${why}`);
const container = (pod = burstable, node = aNode()) => containerPlan(pod, pod.spec.containers[0] ?? { name: "" }, node);

describe("the node's cgroups", () => {
  test("name what they are computed from (v2, everything on)", () => {
    const node = aNode(
      { qosReserved: { memory: "50%" }, memoryReservationPolicy: "TieredReservation" },
      { version: "v2", hugetlb: true },
    );
    expect(whys(nodePlan(node, sums))).toEqual([
      "kubepods cpu.weight: node allocatable: capacity - systemReserved - kubeReserved; 1024 a core; 2048 shares by linear",
      "kubepods memory.max: node allocatable: capacity - systemReserved - kubeReserved",
      "kubepods pids.max: node allocatable: capacity - systemReserved - kubeReserved; min(pid_max, threads-max)",
      "kubepods hugetlb.2MB.max: huge pages are limited per pod: 2^62 here",
      "kubepods hugetlb.1GB.max: huge pages are limited per pod: 2^62 here",
      "kubepods memory.min: memory requests of all Guaranteed (256Mi) and Burstable pods (64Mi)",
      "burstable cpu.weight: cpu requests of all Burstable pods, 250m; 1024 a core; 256 shares by linear",
      "burstable memory.max: allocatable 8Gi - 50% of Guaranteed requests 256Mi (qosReserved)",
      "burstable hugetlb.2MB.max: huge pages are limited per pod: 2^62 here",
      "burstable hugetlb.1GB.max: huge pages are limited per pod: 2^62 here",
      "burstable memory.low: memory requests of all Burstable pods, 64Mi",
      "besteffort cpu.weight: BestEffort: the least there is, 2; 2 shares by linear",
      "besteffort memory.max: limit of burstable - 50% of Burstable requests 64Mi (qosReserved)",
      "besteffort hugetlb.2MB.max: huge pages are limited per pod: 2^62 here",
      "besteffort hugetlb.1GB.max: huge pages are limited per pod: 2^62 here",
    ]);
  });

  test("name pods without limits", () => {
    const [shares] = whys(nodePlan(aNode({ enforceNodeAllocatable: [] }), sums));
    expect(shares).toBe("kubepods cpu.shares: capacity (pods are not enforced); 1024 a core");
  });

  test.each<{ key: ReservedKey; expected: readonly string[] }>([
    {
      key: "system-reserved",
      expected: [
        "/sys cpu.shares systemReserved; 1024 a core",
        "/sys memory.limit_in_bytes systemReserved",
        "/sys pids.max systemReserved",
      ],
    },
    { key: "system-reserved-compressible", expected: ["/sys cpu.shares systemReserved; 1024 a core"] },
    {
      key: "kube-reserved",
      expected: ["/kube cpu.shares kubeReserved; 1024 a core", "/kube memory.limit_in_bytes kubeReserved"],
    },
    { key: "kube-reserved-compressible", expected: ["/kube cpu.shares kubeReserved; 1024 a core"] },
  ])("$key is held to its own list, in its own cgroup", ({ key, expected }) => {
    const node = aNode(
      { systemReservedCgroup: "/sys", kubeReservedCgroup: "/kube" },
      {
        systemReserved: parseList({ cpu: "1", memory: "1Gi", pid: "100" }),
        kubeReserved: parseList({ cpu: "1", memory: "1Gi" }),
      },
    );
    expect(reservedPlan(node, key).map(({ path, file, why }) => `${path} ${file} ${why}`)).toEqual(expected);
  });

  test("what the system reserves is kept for it under MemoryQoS, cpu alone is not", () => {
    const node = aNode(
      { systemReservedCgroup: "/sys", memoryReservationPolicy: "TieredReservation" },
      { version: "v2", systemReserved: parseList({ cpu: "1", memory: "1Gi" }) },
    );
    expect(lines(reservedPlan(node, "system-reserved"))).toContain("/sys/memory.min: 1073741824");
    expect(lines(reservedPlan(node, "system-reserved-compressible"))).toEqual(["/sys/cpu.weight: 39"]);
    const cpuAlone = aNode(
      { systemReservedCgroup: "/sys", memoryReservationPolicy: "TieredReservation" },
      { version: "v2", systemReserved: parseList({ cpu: "1" }) },
    );
    expect(lines(reservedPlan(cpuAlone, "system-reserved"))).toEqual(["/sys/cpu.weight: 39"]);
  });
});

describe("a pod's cgroup", () => {
  test("names what it is computed from", () => {
    const node = aNode({ podPidsLimit: 100, burst: true }, { hugetlb: true, burstAvailable: true });
    const saving = { ...burstable, metadata: { ...burstable.metadata, annotations: { [BURST_ANNOTATION]: "50%" } } };
    expect(whys(podPlan(saving, node)).map((text) => text.replace("burstable/poduid-b ", ""))).toEqual([
      "cpu.shares: cpu request of the pod, 250m; 1024 a core",
      "cpu.cfs_period_us: cpuCFSQuotaPeriod",
      "cpu.cfs_quota_us: cpu limit of the pod, 500m x 100000 us",
      `cpu.cfs_burst_us: 50% of the quota (annotation ${BURST_ANNOTATION})`,
      "memory.limit_in_bytes: memory limit of the pod, 128Mi",
      "pids.max: podPidsLimit",
      "hugetlb.2MB.limit_in_bytes: huge page requests of the pod",
      "hugetlb.1GB.limit_in_bytes: huge page requests of the pod",
    ]);
    expect(lines(podPlan(saving, node))).toContain("/kubepods/burstable/poduid-b/cpu.cfs_burst_us: 25000");
    expect(whys(podPlan(burstable, node)).join()).toContain(`0% of the quota (annotation ${BURST_ANNOTATION})`);
  });

  test("of a BestEffort pod is the least there is", () => {
    expect(whys(podPlan(bestEffort, aNode()))).toEqual([
      "besteffort/poduid-e cpu.shares: BestEffort: the least there is, 2",
    ]);
  });

  test("without quotas names the reason", () => {
    expect(whys(podPlan(guaranteed, aNode({ cpuCFSQuota: false }))).join()).toContain(
      "cpu.cfs_quota_us: cpuCFSQuota is off",
    );
    const cpus = { hasExclusive: () => true, cpusOf: () => "0-1" } as never;
    expect(whys(podPlan(guaranteed, { ...aNode(), cpus })).join()).toContain(
      "cpu.cfs_quota_us: none: the pod has CPUs of its own",
    );
  });

  test("keeps the request under MemoryQoS, and names the policy", () => {
    const node = aNode({ memoryReservationPolicy: "TieredReservation" }, { version: "v2" });
    expect(whys(podPlan(burstable, node)).at(-1)).toBe(
      "burstable/poduid-b memory.low: memory request of the pod, 64Mi; TieredReservation",
    );
  });
});

describe("a container", () => {
  const short = (plan: Plan): string[] => plan.map(({ file, value, why }) => `${file} ${value}: ${why}`);

  test("names what it is computed from", () => {
    expect(short(container(burstable, aNode({}, { hugetlb: true })).plan)).toEqual([
      "cpu.shares 256: cpu request 250m; 1024 a core",
      "cpu.cfs_period_us 100000: cpuCFSQuotaPeriod",
      "cpu.cfs_quota_us 50000: cpu limit 500m x 100000 us",
      "memory.limit_in_bytes 134217728: memory limit 128Mi",
      `hugetlb.2MB.limit_in_bytes ${4 * MIB}: huge page limits`,
      "hugetlb.1GB.limit_in_bytes 0: huge page limits",
      "oom_score_adj 993: Burstable: 1000 - 1000 x request 64Mi / machine 8Gi, 3 to 999",
    ]);
  });

  test.each([
    { pod: guaranteed, score: "oom_score_adj -997: Guaranteed" },
    { pod: bestEffort, score: "oom_score_adj 1000: BestEffort" },
    {
      pod: aPod("c", [{ requests: { cpu: "1" } }]),
      score: "oom_score_adj 999: Burstable: 1000 - 1000 x request 0 / machine 8Gi, 3 to 999",
    },
  ])("is killed by its class: $score", ({ pod, score }) => {
    expect(short(container(pod).plan).at(-1)).toBe(score);
  });

  test("without a request goes by its limit", () => {
    const pod = aPod("c", [{ limits: { cpu: "500m" } }]);
    expect(short(container(pod).plan)[0]).toBe("cpu.shares 512: no cpu request: its limit, 500m; 1024 a core");
  });

  test("with exclusive CPUs has no quota, one that shares is limited to the rest", () => {
    const exclusive = { hasExclusive: () => true, cpusOf: () => "2-3" } as never;
    const own = short(container(guaranteed, { ...aNode(), cpus: exclusive }).plan);
    expect(own).toContain("cpu.cfs_quota_us -1: none: the container has CPUs of its own");
    expect(own).toContain("cpuset.cpus 2-3: CPUs of its own (cpuManagerPolicy static)");
    const shared = { hasExclusive: () => false, cpusOf: () => "0-1" } as never;
    const found = container(guaranteed, { ...aNode(), cpus: shared });
    expect(short(found.plan)).toContain("cpuset.cpus 0-1: the CPUs that belong to no container alone");
    expect(found.resources.cpusetCpus).toBe("0-1");
    expect(container(guaranteed).resources).not.toHaveProperty("cpusetCpus");
  });

  test("saves up unused quota where its pod asks for it, none without a quota", () => {
    const node = aNode({ burst: true }, { burstAvailable: true });
    const annotations = { [BURST_ANNOTATION]: "20%" };
    const saving = (pod: typeof burstable) => ({ ...pod, metadata: { ...pod.metadata, annotations } });
    expect(short(container(saving(burstable), node).plan)).toContain(
      `cpu.cfs_burst_us 10000: 20% of the quota (annotation ${BURST_ANNOTATION})`,
    );
    const files = (plan: Plan) => plan.map(({ file }) => file);
    expect(files(container(saving(bestEffort), node).plan)).not.toContain("cpu.cfs_burst_us");
    for (const off of [aNode({ burst: true }), aNode({}, { burstAvailable: true })]) {
      expect(files(container(saving(burstable), off).plan)).not.toContain("cpu.cfs_burst_us");
    }
  });

  test("on v2 names what MemoryQoS and the group kill set; on v1 swap is limited to the memory limit", () => {
    const v2 = aNode({ memoryReservationPolicy: "TieredReservation" }, { version: "v2" });
    expect(short(container(burstable, v2).plan)).toEqual(
      expect.arrayContaining([
        "memory.oom.group 1: MemoryQoS, swap and singleProcessOOMKill",
        `memory.low ${64 * MIB}: MemoryQoS, swap and singleProcessOOMKill`,
      ]),
    );
    const v1 = container(burstable, aNode({}, { swapControllerAvailable: true })).plan;
    expect(short(v1)).toContain(`memory.memsw.limit_in_bytes ${128 * MIB}: memory limit: no swap`);
    expect(v1.map(({ path }) => path)).toEqual(v1.map(() => "/kubepods/burstable/poduid-b/main"));
  });
});

describe("settings as files", () => {
  const rule = {
    version: "v2",
    weights: (shares: number) => shares * 2,
    weightsName: "double",
    hugePageSizes: [2 * MIB],
  } as const;
  const v2 = (config: object) => settingsOf("/x", config, {}, rule).map(({ file, value }) => `${file}: ${value}`);
  const v1 = (config: object) =>
    settingsOf("/x", config, {}, { ...rule, version: "v1" }).map(({ file, value }) => `${file}: ${value}`);

  test.each([
    { name: "a quota without a period has the usual one", config: { cpuQuota: 5 }, files: ["cpu.max: 5 100000"] },
    { name: "a period alone sets no limit", config: { cpuPeriod: 7 }, files: ["cpu.max: max 7"] },
    { name: "a quota of -1 is no limit", config: { cpuQuota: -1, cpuPeriod: 7 }, files: ["cpu.max: max 7"] },
    { name: "no memory limit", config: { memory: -1 }, files: ["memory.max: max"] },
    { name: "no limit of processes", config: { pidsLimit: -1 }, files: ["pids.max: max"] },
    { name: "a burst of nothing is written", config: { cpuBurst: 0 }, files: ["cpu.max.burst: 0"] },
    {
      name: "a page size without a request is limited to 0",
      config: { hugePageLimit: new Map() },
      files: ["hugetlb.2MB.max: 0"],
    },
    {
      name: "zeros set nothing",
      config: { cpuShares: 0, cpuQuota: 0, cpuPeriod: 0, memory: 0, pidsLimit: 0 },
      files: [],
    },
    { name: "shares become a weight by the strategy", config: { cpuShares: 5 }, files: ["cpu.weight: 10"] },
  ])("v2: $name", ({ config, files }) => {
    expect(v2(config)).toEqual(files);
  });

  test("a weight of 0 means that nothing is set", () => {
    expect(settingsOf("/x", { cpuShares: 5 }, {}, { ...rule, weights: () => 0 })).toEqual([]);
  });

  test.each([
    { name: "a quota of -1 is written as it is", config: { cpuQuota: -1 }, files: ["cpu.cfs_quota_us: -1"] },
    { name: "no limit of processes", config: { pidsLimit: -1 }, files: ["pids.max: max"] },
    {
      name: "a page size without a request is limited to 0",
      config: { hugePageLimit: new Map() },
      files: ["hugetlb.2MB.limit_in_bytes: 0"],
    },
    { name: "a burst of nothing is written", config: { cpuBurst: 0 }, files: ["cpu.cfs_burst_us: 0"] },
    {
      name: "zeros set nothing",
      config: { cpuShares: 0, cpuQuota: 0, cpuPeriod: 0, memory: 0, pidsLimit: 0 },
      files: [],
    },
    { name: "what is v2's is left out", config: { unified: { "memory.min": "1" } }, files: [] },
    {
      name: "numbers have no exponent",
      config: { memory: 2 ** 80 },
      files: ["memory.limit_in_bytes: 1208925819614629174706176"],
    },
  ])("v1: $name", ({ config, files }) => {
    expect(v1(config)).toEqual(files);
  });

  test("a file is of the controller before its first dot", () => {
    expect(["cpu.max.burst", "cgroup"].map(controllerOf)).toEqual(["cpu", "cgroup"]);
  });
});
