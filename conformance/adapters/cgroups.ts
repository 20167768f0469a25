/** What the cgroup topics share. */
import {
  type MemoryReservationPolicy,
  MIN_SHARES,
  type ResourceConfig,
  type RuleOptions,
} from "@hooklet/plugin-cgroups/internal";

/** @throws Error naming the keys of an input that its adapter does not know: nothing is dropped unseen */
export function onlyKeys(input: object, known: readonly string[], what = "input"): void {
  const unknown = Object.keys(input).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw new Error(`${what} has keys that the adapter does not know: ${unknown.join(", ")}`);
}

/** The way back from shares, rounded up: 0 below the smallest. hooklet remembers what it wrote and reads no request back. */
export function sharesToMilliCpu(shares: number): number {
  return shares < MIN_SHARES ? 0 : Math.ceil((shares * 1000) / 1024);
}

export interface Gates {
  readonly PodLevelResources?: boolean;
  readonly DRANodeAllocatableResources?: boolean;
  readonly MemoryQoS?: boolean;
  readonly NodeSwap?: boolean;
}

/** Gates of a case as the rules take them; one that is not named is on where it is on by default. */
export function toRuleOptions(gates: Gates = {}): RuleOptions {
  onlyKeys(gates, ["PodLevelResources", "DRANodeAllocatableResources", "MemoryQoS", "NodeSwap"], "gates");
  return {
    podLevelResources: gates.PodLevelResources ?? true,
    draNodeAllocatableResources: gates.DRANodeAllocatableResources ?? false,
  };
}

/** Settings as the vectors write them: null for what is left alone. */
export function fromConfig({ cpuShares, cpuQuota, cpuPeriod, memory, hugePageLimit }: ResourceConfig) {
  return {
    cpuShares: cpuShares ?? null,
    cpuQuota: cpuQuota ?? null,
    cpuPeriod: cpuPeriod ?? null,
    memory: memory ?? null,
    hugePageLimit: hugePageLimit ? Object.fromEntries(hugePageLimit) : null,
  };
}

/** The vectors' names for the policies: null is a kubelet before 1.36. */
export const policies: Readonly<Record<string, MemoryReservationPolicy>> = {
  unified_TieredReservation: "TieredReservation",
  unified_None: "None",
  unified_before_1_36: "before-1.36",
};

/** A value of 0 protects nothing: the same as none. */
export function withoutZeros(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([, value]) => value !== "0"));
}

/** The keys of an expectation only. */
export function partOf(answer: object, expected: object): object {
  return Object.fromEntries(Object.entries(answer).filter(([key]) => Object.hasOwn(expected, key)));
}
