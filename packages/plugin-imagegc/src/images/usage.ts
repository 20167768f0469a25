/** How full the image file system is, in the kubelet's whole numbers. Pure. */

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
