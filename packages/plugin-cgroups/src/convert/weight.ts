/** cpu.shares of cgroup v1 as cpu.weight of v2 and back. Pure. */
import { sharesToWeight } from "@hooklet/core/rules";
import { MAX_SHARES, MIN_SHARES } from "./cpu.js";

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

/** The way back from `linear`. Loses: 51 shares are weight 2, which is 28 shares. */
export function weightToShares(weight: number): number {
  return Math.floor(((weight - 1) * (MAX_SHARES - MIN_SHARES)) / (MAX_WEIGHT - 1)) + MIN_SHARES;
}
