/**
 * CFS quotas as systemd takes them (opencontainers/cgroups). hooklet writes files of the kernel and asks systemd for nothing: the
 * rule is the adapter's own.
 */
import type { Adapter } from "../adapter.js";
import { onlyKeys, partOf } from "./cgroups.js";

/** Microseconds of CPU per second: a whole percent. */
const STEP = 10_000;
const SECOND = 1_000_000;

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

/** CPUQuotaPerSecUSec: rounded up to a whole percent; undefined when neither is set, so that nothing is. */
function cpuQuotaPerSecond(quota: number, period: number): number | "infinity" | undefined {
  if (quota === 0 && period === 0) return undefined;
  if (quota <= 0) return "infinity";
  return Math.ceil(Math.trunc((quota * SECOND) / period) / STEP) * STEP;
}

/** The quota that newer versions of the library write to the file as well, so that systemd does not change it again. */
function roundedQuota(quota: number, period: number): number {
  const perSecond = cpuQuotaPerSecond(quota, period);
  return typeof perSecond === "number" ? Math.trunc((perSecond * period) / SECOND) : quota;
}
