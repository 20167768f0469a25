import type { Container, Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { claimedByPod, claimedMemory } from "../../../src/rules/claims.js";
import { containerMemoryQos, containerSwap, type SwapRule, swapShare } from "../../../src/rules/container.js";
import { oomScoreAdjust } from "../../../src/rules/oom-score.js";
import { podAmounts, podResourceConfig } from "../../../src/rules/pod.js";
import { type Amounts, aPod, both, GIB, MIB } from "../world.js";

const main = (pod: Pod): Container => pod.spec.containers[0] ?? { name: "" };

describe("swap of a container", () => {
  const rule: SwapRule = {
    cgroupVersion: "v2",
    nodeSwap: true,
    swapBehavior: "LimitedSwap",
    swapControllerAvailable: true,
    memoryCapacity: 8 * GIB,
    swapCapacity: 2 * GIB,
  };
  const swap = (amounts: Amounts, more: Partial<SwapRule> = {}, spec: Partial<Pod["spec"]> = {}) => {
    const pod = aPod("a", [amounts], spec);
    return containerSwap(pod, main(pod), { ...rule, ...more });
  };
  const burstable = { requests: { memory: "1Gi" } };

  test.each([
    {
      name: "is as much of the node's swap as its request is of the memory",
      found: () => swap(burstable),
      bytes: GIB / 4,
    },
    {
      name: "is none for one that is limited to what it asks for",
      found: () => swap({ requests: { memory: "1Gi", cpu: "1" }, limits: { memory: "1Gi" } }),
      bytes: 0,
    },
    {
      name: "is some for one that is limited to more",
      found: () => swap({ requests: { memory: "1Gi" }, limits: { memory: "2Gi" } }),
      bytes: GIB / 4,
    },
    {
      name: "is none for one that asks for no memory and has a limit of cpu alone",
      found: () => swap({ requests: { cpu: "1" }, limits: { cpu: "2" } }),
      bytes: 0,
    },
    { name: "is none for a Guaranteed pod", found: () => swap(both({ cpu: "1", memory: "1Gi" })), bytes: 0 },
    { name: "is none for a critical pod", found: () => swap(burstable, {}, { priority: 2_000_000_000 }), bytes: 0 },
    { name: "is none where nothing is said", found: () => swap(burstable, { swapBehavior: "" }), bytes: 0 },
    { name: "is none without the gate", found: () => swap(burstable, { nodeSwap: false }), bytes: 0 },
    { name: "is none on v1", found: () => swap(burstable, { cgroupVersion: "v1" }), bytes: 0 },
    { name: "is none unless the node gives some", found: () => swap(burstable, { swapBehavior: "NoSwap" }), bytes: 0 },
    {
      name: "is none on a machine of unknown memory",
      found: () => swap(burstable, { memoryCapacity: 0 }),
      bytes: 0,
    },
    {
      name: "is not touched where the kernel cannot limit it",
      found: () => swap(burstable, { swapControllerAvailable: false }),
      bytes: undefined,
    },
  ])("$name", ({ found, bytes }) => {
    expect(found()).toBe(bytes);
  });

  test("of a pod with pod-level resources follows the pod's class, where these count", () => {
    const own = { resources: both({ cpu: "1", memory: "1Gi" }) } as never;
    expect(swap(burstable, {}, own)).toBe(0);
    expect(swap(burstable, { podLevelResources: false }, own)).toBe(GIB / 4);
  });

  test("is none for a container without a request, next to one with a memory request", () => {
    const pod = aPod("a", [{}, burstable]);
    expect(containerSwap(pod, { name: "main" }, rule)).toBe(0);
  });

  test("a share is whole bytes, and none of no memory", () => {
    expect(swapShare(1, 3, 10)).toBe(3);
    expect(() => swapShare(1, 0, 10)).toThrow("total node memory is 0");
    expect(() => swapShare(11, 10, 1)).toThrow("container request 11 is larger than total node memory 10");
  });
});

describe("claims for the node's own resources", () => {
  const claiming = (...claims: readonly object[]): Pod => ({
    ...aPod("a", [{ requests: { memory: "1Mi" } }, {}]),
    status: { nodeAllocatableResourceClaimStatuses: claims } as never,
  });
  const claim = {
    containers: ["main", "c1"],
    mapping: [
      { name: "memory", quantity: "4Mi" },
      { name: "cpu", quantity: "1" },
    ],
    overhead: [{ name: "memory", perPod: "2Mi", perContainer: "8Mi" }],
  };
  const amounts = (pod: Pod) =>
    Object.fromEntries([...claimedByPod(pod)].map(([name, { nano }]) => [name, Number(nano / 1_000_000n) / 1000]));

  test("add to the pod: mapping and perPod once, perContainer for each container", () => {
    expect(amounts(claiming(claim))).toEqual({ memory: (4 + 2 + 16) * MIB, cpu: 1 });
    expect(amounts(claiming(claim, claim))).toEqual({ memory: 44 * MIB, cpu: 2 });
    expect(amounts(claiming({ containers: ["main"], overhead: [{ name: "memory", perContainer: "8Mi" }] }))).toEqual({
      memory: 8 * MIB,
    });
    expect(amounts(claiming({ overhead: [{ name: "memory", perPod: "8Mi" }] }))).toEqual({ memory: 8 * MIB });
  });

  test("add to a container: its share of what the pod has once, and its own whole", () => {
    expect(claimedMemory(claiming(claim), "main")).toBe((6 / 2 + 8) * MIB);
    expect(claimedMemory(claiming({ ...claim, containers: ["main"] }), "c1")).toBe(0);
    expect(claimedMemory(claiming({ containers: ["main"], mapping: [{ name: "cpu", quantity: "1" }] }), "main")).toBe(
      0,
    );
    expect(claimedMemory(claiming({ mapping: claim.mapping }), "main")).toBe(0);
  });

  test("a pod without any claims nothing", () => {
    expect([amounts(aPod("a")), claimedMemory(aPod("a"), "main"), amounts({ ...aPod("a"), status: {} })]).toEqual([
      {},
      0,
      {},
    ]);
  });

  test("count for the pod's cgroup under their gate alone: requests always, limits where there is one", () => {
    const on = { draNodeAllocatableResources: true };
    const pod = claiming({ containers: ["main"], mapping: [{ name: "memory", quantity: "4Mi" }] });
    expect(podAmounts(pod).requests.memory).toBe(MIB);
    expect(podAmounts(pod, on).requests.memory).toBe(5 * MIB);
    expect(podAmounts(pod, on).limits.memory).toBeUndefined();
    const limited = { ...pod, spec: aPod("a", [both({ memory: "1Mi" })]).spec };
    expect(podAmounts(limited, on)).toMatchObject({ requests: { memory: 5 * MIB }, limits: { memory: 5 * MIB } });
    const own = { ...pod, spec: { ...pod.spec, resources: both({ memory: "2Mi" }) } as never };
    expect(podAmounts(own, on)).toMatchObject({ requests: { memory: 2 * MIB }, limits: { memory: 2 * MIB } });
    expect(podAmounts(own, { ...on, podLevelResources: false }).requests.memory).toBe(5 * MIB);
  });
});

describe("oom scores", () => {
  const score = (pod: Pod, container = main(pod), options = {}) => oomScoreAdjust(pod, container, 1000 * MIB, options);
  const sidecar = (amounts: Amounts) =>
    ({ name: "side", image: "app:1", restartPolicy: "Always", resources: amounts }) as Container;

  test.each([
    {
      name: "the share of the machine that it asked for, off 1000",
      pod: aPod("a", [{ requests: { memory: "250Mi" } }]),
      score: 750,
    },
    { name: "at least 3", pod: aPod("a", [{ requests: { memory: "999Mi" } }]), score: 3 },
    {
      name: "-997 for a node critical pod, whatever it asked for",
      pod: aPod("a", [{}], { priority: 2_000_001_000, priorityClassName: "system-node-critical" }),
      score: -997,
    },
    { name: "1000 for a BestEffort pod", pod: aPod("a"), score: 1000 },
  ])("$name", ({ pod, score: expected }) => {
    expect(score(pod)).toBe(expected);
  });

  test("what the pod asked for beyond its containers is divided among those that run together", () => {
    const resources = { requests: { memory: "400Mi" } };
    const pod = aPod("a", [{ requests: { memory: "100Mi" } }, { requests: { memory: "100Mi" } }], {
      resources,
    } as never);
    expect(score(pod)).toBe(800);
    expect(score(pod, main(pod), { podLevelResources: false })).toBe(900);
    const withSidecar = { ...pod, spec: { ...pod.spec, initContainers: [sidecar({ requests: { memory: "50Mi" } })] } };
    expect(score(withSidecar)).toBe(850);
    const less = aPod("a", [{ requests: { memory: "100Mi" } }], {
      resources: { requests: { memory: "10Mi" } },
    } as never);
    expect(score(less)).toBe(900);
  });

  test("what the container claims counts as asked for, under the gate alone", () => {
    const claims = [{ containers: ["main"], mapping: [{ name: "memory", quantity: "100Mi" }] }];
    const pod = {
      ...aPod("a", [{ requests: { memory: "100Mi" } }]),
      status: { nodeAllocatableResourceClaimStatuses: claims } as never,
    };
    expect([score(pod), score(pod, main(pod), { draNodeAllocatableResources: true })]).toEqual([900, 800]);
  });

  test("a sidecar dies no earlier than the main container that asked for least", () => {
    const side = sidecar({ requests: { memory: "10Mi" } });
    const pod = aPod("a", [{ requests: { memory: "100Mi" } }, { requests: { memory: "200Mi" } }], {
      initContainers: [side],
    });
    expect([score(pod, side), score(pod), score(pod, pod.spec.containers[1])]).toEqual([900, 900, 800]);
    expect(score(pod, { ...side, name: "other" })).toBe(990);
  });

  test("on a machine of unknown memory a request does not protect", () => {
    const pod = aPod("a", [{ requests: { memory: "250Mi" } }]);
    expect(oomScoreAdjust(pod, main(pod), 0)).toBe(999);
  });
});

describe("the limits of a pod", () => {
  const rule = { enforceCpuLimits: true, cpuPeriod: 100_000 };
  const config = (containers: readonly Amounts[], spec: Partial<Pod["spec"]> = {}, more = {}) =>
    podResourceConfig(aPod("a", containers, spec), { ...rule, ...more });

  test("one container without a limit frees the pod of it, for cpu and memory separately", () => {
    expect(config([both({ cpu: "1", memory: "1Mi" }), { limits: { cpu: "1" } }])).toMatchObject({ cpuQuota: 200_000 });
    expect(config([both({ cpu: "1", memory: "1Mi" }), { limits: { cpu: "1" } }])).not.toHaveProperty("memory");
    expect(config([both({ cpu: "1", memory: "1Mi" }), { limits: { memory: "1Mi" } }])).not.toHaveProperty("cpuQuota");
    expect(config([{ requests: { cpu: "1" }, limits: { cpu: "0" } }])).not.toHaveProperty("cpuQuota");
  });

  test("an init container without a limit counts as limited behind a sidecar that is, not before it", () => {
    const limited = both({ cpu: "1", memory: "1Mi" });
    const sidecar = { name: "sidecar", restartPolicy: "Always", resources: limited };
    const plain = { name: "plain" };
    const withInit = (...initContainers: readonly object[]) => config([limited], { initContainers } as never);
    expect(withInit(sidecar, plain)).toMatchObject({ cpuQuota: 200_000, memory: 2 * MIB });
    expect(withInit(plain, sidecar)).not.toHaveProperty("cpuQuota");
    expect(withInit({ ...sidecar, resources: {} }, plain)).not.toHaveProperty("memory");
  });

  test("a limit of the pod itself settles it, where it counts", () => {
    const resources = { limits: { cpu: "3" } };
    expect(config([{ requests: { cpu: "1" } }], { resources } as never)).toMatchObject({ cpuQuota: 300_000 });
    expect(
      config([{ requests: { cpu: "1" } }], { resources } as never, { podLevelResources: false }),
    ).not.toHaveProperty("cpuQuota");
  });

  test.each([
    { name: "as many processes as it may have", podPidsLimit: 100, limit: 100 },
    { name: "no limit of processes for 0", podPidsLimit: 0, limit: undefined },
    { name: "no limit of processes for -1", podPidsLimit: -1, limit: undefined },
  ])("has $name", ({ podPidsLimit, limit }) => {
    expect(config([{}], {}, { podPidsLimit }).pidsLimit).toBe(limit);
  });

  test("a period of 0 is the usual one", () => {
    expect(config([both({ cpu: "1", memory: "1Mi" })], {}, { cpuPeriod: 0 })).toMatchObject({
      cpuPeriod: 100_000,
      cpuQuota: 100_000,
    });
  });
});

describe("memory QoS of a container", () => {
  const rule = { policy: "TieredReservation", factor: 0.5, pageSize: 4096, nodeAllocatableMemory: 1000 * MIB } as const;
  const qos = (amounts: Amounts, more: object = {}) => {
    const pod = aPod("a", [amounts]);
    return containerMemoryQos(pod, main(pod), { ...rule, ...more });
  };

  test.each([
    {
      name: "half way to what the node can give, without a limit",
      amounts: { requests: { memory: "100Mi" } },
      found: { "memory.low": String(100 * MIB), "memory.high": String(550 * MIB) },
    },
    {
      name: "without a request nothing is kept",
      amounts: { limits: { memory: "200Mi", cpu: "1" }, requests: { cpu: "1" } },
      found: { "memory.high": String(100 * MIB) },
    },
    {
      name: "a Guaranteed one is kept at all cost, and never slowed down",
      amounts: both({ cpu: "1", memory: "100Mi" }),
      found: { "memory.min": String(100 * MIB) },
    },
  ])("$name", ({ amounts, found }) => {
    expect(qos(amounts)).toEqual(found);
  });

  test("without a factor nothing is slowed down, with the policy None nothing is kept", () => {
    const amounts = { requests: { memory: "100Mi" }, limits: { memory: "200Mi" } };
    expect(qos(amounts, { factor: undefined })).toEqual({ "memory.low": String(100 * MIB) });
    expect(qos(amounts, { policy: "None" })).toEqual({ "memory.high": String(150 * MIB) });
    expect(qos(amounts, { policy: "before-1.36", factor: undefined })).toEqual({ "memory.min": String(100 * MIB) });
  });
});
