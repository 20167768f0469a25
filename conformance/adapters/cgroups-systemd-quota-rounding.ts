import { cpuQuotaPerSecond, roundedQuota } from "@hooklet/plugin-cgroups";
import type { Adapter } from "../adapter.js";
import { onlyKeys, partOf } from "./cgroups.js";

export const adapter: Adapter<{ readonly quota: number; readonly period: number }> = {
  run(input) {
    onlyKeys(input, ["quota", "period"]);
    const { quota, period } = input;
    return {
      CPUQuotaPerSecUSec: cpuQuotaPerSecond(quota, period) ?? null,
      quota_written_by_newer_library: roundedQuota(quota, period),
    };
  },
  part: partOf,
};
