/** cpu.shares of cgroup v1 as cpu.weight of v2 and back. */
import { MAX_SHARES, MIN_SHARES } from "./cpu.js";

export const MAX_WEIGHT = 10_000;

/**
 * The kubelet's own rule, of all its cgroups: 2 to 262144 becomes 1 to 10000 in a straight line. 0 stays 0 (nothing is
 * set). 1024 shares, one core, are 39 of the default 100.
 */
export function linear(shares: number): number {
  if (shares === 0) return 0;
  if (shares >= MAX_SHARES) return MAX_WEIGHT;
  return 1 + Math.floor((Math.max(shares - MIN_SHARES, 0) * (MAX_WEIGHT - 1)) / (MAX_SHARES - MIN_SHARES));
}

/** What runc from 1.3.2 and crun from 1.23 use for containers: 1024 shares are the default weight, 100. */
export function quadratic(shares: number): number {
  if (shares === 0) return 0;
  if (shares <= MIN_SHARES) return 1;
  if (shares >= MAX_SHARES) return MAX_WEIGHT;
  const log = Math.log2(shares);
  return Math.ceil(10 ** ((log * log + 125 * log) / 612 - 7 / 34));
}

/** The way back from `linear`. Loses: 51 shares are weight 2, which is 28 shares. */
export function weightToShares(weight: number): number {
  return Math.floor(((weight - 1) * (MAX_SHARES - MIN_SHARES)) / (MAX_WEIGHT - 1)) + MIN_SHARES;
}

/** Whether shares that were read back from a v2 node are those that were written there. */
export function sameAfterRoundTrip(written: number, readBack: number): boolean {
  return weightToShares(linear(written)) === readBack;
}
