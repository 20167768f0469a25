/** Settings of one cgroup, for either version, and the units that they are written in (pkg/kubelet/cm ResourceConfig). Pure. */

import { sharesToWeight } from "@hooklet/core/rules";

/** Undefined: the setting is left alone. */
export interface ResourceConfig {
  readonly cpuShares?: number;
  /** Microseconds; -1 = no limit, and is written. */
  readonly cpuQuota?: number;
  /** Microseconds. */
  readonly cpuPeriod?: number;
  /** Microseconds of unused quota that may be used later; 0 = none. */
  readonly cpuBurst?: number;
  /** Bytes. */
  readonly memory?: number;
  readonly pidsLimit?: number;
  /** Bytes by page size in bytes; sizes that are not named are limited to 0. Undefined: none is touched. */
  readonly hugePageLimit?: HugePageLimits;
  /** cgroup v2 files; ignored on v1. */
  readonly unified?: Readonly<Record<string, string>>;
}

export type HugePageLimits = ReadonlyMap<number, number>;

/** Switches of the kubelet that change the rules. */
export interface RuleOptions {
  /** `spec.resources` of pods counts. Default true. */
  readonly podLevelResources?: boolean;
  /** Claims for the node's own resources count (alpha). Default false. */
  readonly draNodeAllocatableResources?: boolean;
}

// Milli-cores, cpu.shares and CFS quotas (pkg/kubelet/cm/helpers_linux.go).

export const MIN_SHARES = 2;
export const MAX_SHARES = 262_144;
/** Microseconds. */
export const DEFAULT_PERIOD = 100_000;
/** Microseconds: the kernel refuses less. */
const MIN_QUOTA = 1000;
const SHARES_PER_CPU = 1024;

/** cpu.shares for a request: 1024 a core, truncated, 2 to 262144. */
export function milliCpuToShares(milliCpu: number): number {
  return Math.min(MAX_SHARES, Math.max(MIN_SHARES, Math.trunc((milliCpu * SHARES_PER_CPU) / 1000)));
}

/** Microseconds of a period for a limit; 0 for no limit, otherwise at least 1000. `period` 0 counts as the default. */
export function milliCpuToQuota(milliCpu: number, period: number = DEFAULT_PERIOD): number {
  if (milliCpu === 0) return 0;
  return Math.max(MIN_QUOTA, Math.trunc((milliCpu * (period || DEFAULT_PERIOD)) / 1000));
}

// cpu.shares of cgroup v1 as cpu.weight of v2.

export const MAX_WEIGHT = 10_000;

/** The kubelet's own rule, of all its cgroups. */
export const linear: (shares: number) => number = sharesToWeight;

/** What runc from 1.3.2 and crun from 1.23 use for containers: 1024 shares are the default weight, 100. */
export function quadratic(shares: number): number {
  if (shares === 0) return 0;
  if (shares <= MIN_SHARES) return 1;
  if (shares >= MAX_SHARES) return MAX_WEIGHT;
  const log = Math.log2(shares);
  return Math.ceil(10 ** ((log * log + 125 * log) / 612 - 7 / 34));
}
