/** Times and amounts for people. Pure. */

/** `0s`, `1.5s`, `1m30s`, `1h0m5s`, `2d3h0m0s`. */
export function clockText(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${Number((seconds % 60).toFixed(3))}s`;
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
