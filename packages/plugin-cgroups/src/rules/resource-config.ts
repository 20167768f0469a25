/** Settings of one cgroup, for either version; undefined = the setting is left alone (pkg/kubelet/cm ResourceConfig). */

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
