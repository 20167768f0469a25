import { describe, expect, test } from "@jest/globals";
import { bytes, controllerOf, type FileRule, milli, settingsOf } from "../../../src/plan/setting.js";
import type { ResourceConfig } from "../../../src/rules/resource-config.js";
import { MIB } from "../world.js";

const rule = (version: "v1" | "v2", hugePageSizes: readonly number[] = []): FileRule => ({
  version,
  weights: (shares) => shares / 10,
  weightsName: "tenths",
  hugePageSizes,
});
const entries = (...args: Parameters<typeof settingsOf>) =>
  settingsOf(...args).map(({ file, value, why }) => [file, value, why]);

const config: ResourceConfig = {
  cpuShares: 500,
  cpuPeriod: 50_000,
  cpuQuota: 25_000,
  cpuBurst: 7,
  memory: 2 ** 60,
  pidsLimit: 9,
  hugePageLimit: new Map([[2 * MIB, 4 * MIB]]),
  unified: { "memory.min": "5" },
};
const whys = {
  cpuShares: "shares",
  cpuPeriod: "period",
  cpuQuota: "quota",
  cpuBurst: "burst",
  memory: "memory",
  pidsLimit: "pids",
  hugePageLimit: "pages",
  unified: "protected",
};

describe("the files of a cgroup", () => {
  test("on v1 are the kernel's, each with its reason, no number with an exponent", () => {
    expect(entries("/a", config, whys, rule("v1", [2 * MIB, 1024 * MIB]))).toEqual([
      ["cpu.shares", "500", "shares"],
      ["cpu.cfs_period_us", "50000", "period"],
      ["cpu.cfs_quota_us", "25000", "quota"],
      ["cpu.cfs_burst_us", "7", "burst"],
      ["memory.limit_in_bytes", "1152921504606846976", "memory"],
      ["pids.max", "9", "pids"],
      ["hugetlb.2MB.limit_in_bytes", "4194304", "pages"],
      ["hugetlb.1GB.limit_in_bytes", "0", "pages"],
    ]);
  });

  test("on v2 are the kernel's, with the weight of the strategy", () => {
    expect(entries("/a", config, whys, rule("v2", [2 * MIB, 1024 * MIB]))).toEqual([
      ["cpu.weight", "50", "shares; 500 shares by tenths"],
      ["cpu.max", "25000 50000", "quota"],
      ["cpu.max.burst", "7", "burst"],
      ["memory.max", "1152921504606846976", "memory"],
      ["pids.max", "9", "pids"],
      ["hugetlb.2MB.max", "4194304", "pages"],
      ["hugetlb.1GB.max", "0", "pages"],
      ["memory.min", "5", "protected"],
    ]);
  });

  test.each(["v1", "v2"] as const)("on %s are in its path, and none for what is not set", (version) => {
    expect(settingsOf("/a", {}, whys, rule(version, [2 * MIB]))).toEqual([]);
    expect(settingsOf("/a", { ...config, hugePageLimit: undefined } as never, {}, rule(version, [2 * MIB]))).toEqual(
      expect.arrayContaining([expect.objectContaining({ path: "/a", file: "pids.max", why: "" })]),
    );
    const zeros = { cpuShares: 0, cpuPeriod: 0, cpuQuota: 0, memory: 0, pidsLimit: 0 };
    expect(settingsOf("/a", zeros, whys, rule(version))).toEqual([]);
  });

  test("have no limit where the amount is below zero", () => {
    const open = { cpuQuota: -1, memory: -1, pidsLimit: -1 };
    expect(entries("/a", open, {}, rule("v1"))).toEqual([
      ["cpu.cfs_quota_us", "-1", ""],
      ["memory.limit_in_bytes", "-1", ""],
      ["pids.max", "max", ""],
    ]);
    expect(entries("/a", open, {}, rule("v2"))).toEqual([
      ["cpu.max", "max 100000", ""],
      ["memory.max", "max", ""],
      ["pids.max", "max", ""],
    ]);
  });

  test("have no quota on v2 where there is a period alone, and no weight of 0", () => {
    expect(entries("/a", { cpuPeriod: 50_000, cpuShares: 4 }, {}, { ...rule("v2"), weights: () => 0 })).toEqual([
      ["cpu.max", "max 50000", ""],
    ]);
  });

  test("may have a burst of 0", () => {
    expect(entries("/a", { cpuBurst: 0 }, {}, rule("v1"))).toEqual([["cpu.cfs_burst_us", "0", ""]]);
    expect(entries("/a", { cpuBurst: 0 }, {}, rule("v2"))).toEqual([["cpu.max.burst", "0", ""]]);
  });
});

test.each([
  ["cpu.shares", "cpu"],
  ["hugetlb.2MB.max", "hugetlb"],
  ["oom_score_adj", "oom_score_adj"],
])("%s belongs to %s", (file, controller) => {
  expect(controllerOf(file)).toBe(controller);
});

test("amounts are quantities in reasons", () => {
  expect([bytes(64 * MIB), milli(250), milli(2_000)]).toEqual(["64Mi", "250m", "2"]);
});
