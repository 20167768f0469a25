/** Times and amounts for people. Pure. */

/** `0s`, `1.5s`, `1m30s`, `1h0m5s`, `2d3h0m0s`. */
export function clockText(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000);
  const days = Math.floor(milliseconds / 86_400_000);
  const hours = Math.floor((milliseconds % 86_400_000) / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const rest = `${(milliseconds % 60_000) / 1000}s`;
  if (days > 0) return `${days}d${hours}h${minutes}m${rest}`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

const UNITS = ["", "Ki", "Mi", "Gi", "Ti"];

/** `1.5Gi`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number(value.toFixed(2))}${UNITS[unit]}`;
}
