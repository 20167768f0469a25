import { describe, expect, test } from "@jest/globals";
import { sandboxResources } from "../../../src/rules/pod.js";
import { aPod, MIB } from "../world.js";

const rule = { cgroupVersion: "v1", cpuCFSQuota: true, singleProcessOOMKill: true } as const;

describe("the pod's resources for the runtime", () => {
  test("is what its containers ask for together, without overhead", () => {
    const amounts = { requests: { cpu: "1" }, limits: { cpu: "2", memory: "1Mi" } };
    expect(sandboxResources(aPod("a", [amounts, amounts]), rule)).toEqual({
      resources: { cpuShares: 2048, cpuQuota: 400_000, cpuPeriod: 100_000, memoryLimitInBytes: 2 * MIB },
    });
  });

  test("lists the overhead separately, as request and as limit", () => {
    const overhead = { cpu: "250m", memory: "64Mi" };
    const pod = aPod("a", [{ requests: { cpu: "1" }, limits: { cpu: "1" } }], { overhead });
    expect(sandboxResources(pod, rule)).toEqual({
      resources: { cpuShares: 1024, cpuQuota: 100_000, cpuPeriod: 100_000 },
      overhead: { cpuShares: 256, cpuQuota: 25_000, cpuPeriod: 100_000, memoryLimitInBytes: 64 * MIB },
    });
  });

  test("leaves out what an overhead does not name", () => {
    expect(sandboxResources(aPod("a", [{}], { overhead: { memory: "1Mi" } }), rule).overhead).toEqual({
      cpuShares: 2,
      cpuPeriod: 100_000,
      memoryLimitInBytes: MIB,
    });
  });

  test("takes the pod's own resources where they count", () => {
    const pod = aPod("a", [{}], { resources: { limits: { cpu: "2", memory: "1Mi" } } } as never);
    expect(sandboxResources(pod, rule).resources).toMatchObject({ cpuQuota: 200_000, memoryLimitInBytes: MIB });
    expect(sandboxResources(pod, { ...rule, podLevelResources: false }).resources).toEqual({
      cpuShares: 2,
      cpuPeriod: 100_000,
    });
  });

  test("on v2 sets that all processes are killed together", () => {
    const v2 = { ...rule, cgroupVersion: "v2", singleProcessOOMKill: false } as const;
    expect(sandboxResources(aPod("a"), v2).resources.unified).toEqual({ "memory.oom.group": "1" });
  });
});
