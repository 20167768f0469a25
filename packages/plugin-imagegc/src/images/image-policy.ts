/** What image garbage collection goes by, with the kubelet's checks. Pure. */

export interface ImagePolicy {
  /** Percent of the image file system in use at which images are removed, 0 to 100. */
  readonly highThresholdPercent: number;
  /** Percent that they are removed down to, at most the high threshold. */
  readonly lowThresholdPercent: number;
  /** Milliseconds since its first detection that an image is kept, but for the age step. */
  readonly minAge: number;
  /** Milliseconds without use after which an image is removed regardless of disk usage; 0 = never. */
  readonly maxAge: number;
  /** Beyond the kubelet: patterns of names that stay. */
  readonly protect: readonly string[];
}

/** The kubelet's policy; the thresholds are KubeletConfiguration's defaults. */
export const kubeletPolicy: ImagePolicy = {
  highThresholdPercent: 85,
  lowThresholdPercent: 80,
  minAge: 120_000,
  maxAge: 0,
  protect: [],
};

type Thresholds = Pick<ImagePolicy, "highThresholdPercent" | "lowThresholdPercent">;

/** The fault of the thresholds, with the kubelet's text; undefined when they are valid. */
export function policyFault({ highThresholdPercent: high, lowThresholdPercent: low }: Thresholds): string | undefined {
  if (!isPercent(high)) return `invalid HighThresholdPercent ${high}, must be in range [0-100]`;
  if (!isPercent(low)) return `invalid LowThresholdPercent ${low}, must be in range [0-100]`;
  if (low > high) return `LowThresholdPercent ${low} can not be higher than HighThresholdPercent ${high}`;
  return undefined;
}

function isPercent(value: number): boolean {
  return value >= 0 && value <= 100;
}

/** Whether there is anything that could ever be removed: the kubelet does not start the loop otherwise. */
export function imageLoopRuns({ highThresholdPercent, maxAge }: ImagePolicy): boolean {
  return highThresholdPercent < 100 || maxAge > 0;
}

// How full the image file system is, in the kubelet's whole numbers.

export interface DiskUsage {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

/** Why nothing can be counted with these numbers; undefined when it can. */
export function usageFault({ capacityBytes, availableBytes }: DiskUsage): string | undefined {
  if ([capacityBytes, availableBytes].every((bytes) => Number.isInteger(bytes) && bytes >= 0)) return undefined;
  return `expected the image filesystem's capacity and free space in bytes, found ${capacityBytes} and ${availableBytes}`;
}

/** More free than there is counts as all free, as some file systems tell it. */
function available({ capacityBytes, availableBytes }: DiskUsage): number {
  return Math.min(availableBytes, capacityBytes);
}

/** `100 - floor(available * 100 / capacity)`. Capacity must not be 0. */
export function usagePercent(usage: DiskUsage): number {
  return 100 - Number((BigInt(available(usage)) * 100n) / BigInt(usage.capacityBytes));
}

/** `floor(capacity * (100 - low) / 100) - available`: bytes that are missing at the low mark, below 0 when there is more. */
export function bytesToFree(usage: DiskUsage, lowThresholdPercent: number): number {
  const wanted = (BigInt(usage.capacityBytes) * BigInt(100 - lowThresholdPercent)) / 100n;
  return Number(wanted) - available(usage);
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Bytes as the kubelet writes them in its events: `1000 B`, `97.7 KiB`, `1.0 TiB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let unit = 0;
  let whole = bytes;
  for (; whole >= 1024 && unit < UNITS.length - 1; unit++) whole /= 1024;
  return `${oneDecimal(whole)} ${UNITS[unit]}`;
}

/** As Go's `%.1f`: exact halves go to the even digit, where toFixed goes up. */
function oneDecimal(value: number): string {
  const tenths = value * 10;
  const floor = Math.floor(tenths);
  if (tenths - floor !== 0.5) return value.toFixed(1);
  return ((floor % 2 === 0 ? floor : floor + 1) / 10).toFixed(1);
}
