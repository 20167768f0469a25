/** cpu.shares of cgroup v1 as cpu.weight of v2. Pure. */
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
