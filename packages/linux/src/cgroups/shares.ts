/** cpu.shares of cgroup v1 as cpu.weight of v2. Pure. */

const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const MAX_WEIGHT = 10_000;

/**
 * The rule of the kubelet's own cgroups, and of runc's up to 1.3.1: 2 to 262144 becomes 1 to 10000, linearly. 0 stays 0
 * (not set). 1024 shares, one core, are 39 of the default 100.
 */
export function sharesToWeight(shares: number): number {
  if (shares === 0) return 0;
  if (shares >= MAX_SHARES) return MAX_WEIGHT;
  return 1 + Math.floor((Math.max(shares - MIN_SHARES, 0) * (MAX_WEIGHT - 1)) / (MAX_SHARES - MIN_SHARES));
}
