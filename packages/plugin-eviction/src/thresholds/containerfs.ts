/** Thresholds of containerfs are never set by hand: they follow the disk that the writable layers lie on. Pure. */
import { type DiskLayout, isDedicated, isOneDisk, isSplit } from "../layout.js";
import type { Signal } from "../signals.js";
import { type EvictionThreshold, isHard } from "./threshold.js";

export interface DerivedThresholds {
  readonly thresholds: readonly EvictionThreshold[];
  /** Those that no setting was there for. */
  readonly added: readonly EvictionThreshold[];
  /** The kubelet's text about a setting that was replaced, the last one where there were several. */
  readonly replaced?: string;
}

const PARTS = ["available", "inodesFree"] as const;

/** Adds the thresholds of containerfs: copies of those of nodefs (one disk, split) or imagefs (dedicated); own ones make way for them. */
export function withContainerFs(thresholds: readonly EvictionThreshold[], layout: DiskLayout): DerivedThresholds {
  const replaced = thresholds.filter(({ signal }) => signal.startsWith("containerfs.")).at(-1);
  const text = replaced && `found ${replaced.signal} for ${isHard(replaced) ? "hard" : "soft"} eviction. ignoring`;
  return { ...derived(thresholds, layout), ...(text === undefined ? {} : { replaced: text }) };
}

function derived(
  thresholds: readonly EvictionThreshold[],
  layout: DiskLayout,
): Pick<DerivedThresholds, "thresholds" | "added"> {
  const follows = followed(layout);
  if (follows === undefined) return { thresholds, added: [] };
  const kept: (EvictionThreshold | undefined)[] = [...thresholds];
  const added: EvictionThreshold[] = [];
  for (const part of PARTS) {
    for (const hard of [true, false]) {
      const source = lastOf(thresholds, `${follows}.${part}`, hard);
      const copy: EvictionThreshold | undefined = source && { ...source, signal: `containerfs.${part}` };
      const own = lastOf(thresholds, `containerfs.${part}`, hard);
      if (own !== undefined) kept[thresholds.indexOf(own)] = copy;
      else if (copy !== undefined) added.push(copy);
    }
  }
  return { thresholds: [...kept.filter((one) => one !== undefined), ...added], added };
}

function followed(layout: DiskLayout): "nodefs" | "imagefs" | undefined {
  if (isOneDisk(layout) || isSplit(layout)) return "nodefs";
  return isDedicated(layout) ? "imagefs" : undefined;
}

function lastOf(
  thresholds: readonly EvictionThreshold[],
  signal: Signal,
  hard: boolean,
): EvictionThreshold | undefined {
  return thresholds.filter((one) => one.signal === signal && isHard(one) === hard).at(-1);
}
