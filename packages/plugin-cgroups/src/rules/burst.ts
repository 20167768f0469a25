/** CPU burst: what a pod did not use of its quota it may use later (own; the kernel's CFS burst). Pure. */
import type { Pod } from "@hooklet/core";

/** On pods: how much of one period's quota may be saved up, `0%` to `100%`. */
export const BURST_ANNOTATION = "cgroups.hooklet.dev/cpu-burst";

/** Why the annotation cannot be heeded; undefined: it can, or there is none. */
export function burstFault(pod: Pod): string | undefined {
  const text = annotationOf(pod);
  if (text === undefined || percentOf(text) !== undefined) return undefined;
  return `annotation ${BURST_ANNOTATION}: expected "0%" to "100%", found ${JSON.stringify(text)}`;
}

/** Percent; 0 without the annotation, and for one that cannot be heeded. */
export function burstPercent(pod: Pod): number {
  return percentOf(annotationOf(pod) ?? "") ?? 0;
}

function annotationOf({ metadata }: Pod): string | undefined {
  return metadata.annotations?.[BURST_ANNOTATION];
}

function percentOf(text: string): number | undefined {
  const percent = /^(\d{1,3})%$/.exec(text)?.[1];
  return percent === undefined || Number(percent) > 100 ? undefined : Number(percent);
}

/** Microseconds of a quota of so many; undefined where there is none to save up from. The kernel takes no more than the quota itself. */
export function cpuBurst(pod: Pod, quota: number | undefined): number | undefined {
  return quota === undefined || quota <= 0 ? undefined : Math.floor((quota * burstPercent(pod)) / 100);
}
