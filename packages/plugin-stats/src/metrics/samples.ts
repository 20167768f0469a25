/** Samples of metrics that are read at the scrape. Pure. */

import type { CgroupUsage } from "@hooklet/core/rules";
import type { CollectOptions, Sample } from "@hooklet/core/subsystem";

/** By the name of the family. */
export type Samples = Record<string, Sample[]>;

export function emptySamples(families: readonly CollectOptions[]): Samples {
  return Object.fromEntries(families.map(({ name }) => [name, []]));
}

/** Nothing where there is no value. @param timestamp milliseconds since the epoch, where it was not measured now */
export function push(
  samples: Samples,
  name: string,
  value: number | undefined,
  labels: Readonly<Record<string, string>>,
  timestamp?: number,
): void {
  if (value === undefined) return;
  samples[name]?.push({ labels, value, ...(timestamp !== undefined && { timestamp }) });
}

export function cpuSeconds({ cpu }: CgroupUsage): number | undefined {
  return cpu.usageNanoSeconds === undefined ? undefined : cpu.usageNanoSeconds / 1e9;
}
